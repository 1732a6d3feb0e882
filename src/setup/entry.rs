//! What a host is told: the program and its arguments, in the shape that the host expects.

use serde_json::{Map, Value, json};

use super::hosts::{Adder, Format, Host};

/// The program to start and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) command: String,
    pub(super) args: Vec<String>,
}

impl Entry {
    /// The keys of the entry in the host's file.
    pub(super) fn fields(&self, host: &Host) -> Map<String, Value> {
        let fixed = host.fixed.iter();
        let mut fields: Map<String, Value> = fixed
            .map(|(key, value)| ((*key).to_owned(), (*value).into()))
            .collect();
        fields.insert("command".to_owned(), (*self.command).into());
        fields.insert("args".to_owned(), self.args.clone().into());
        fields
    }

    /// A whole file with nothing but this entry, which is also what is pasted.
    pub(super) fn block(&self, host: &Host, name: &str) -> String {
        match host.format {
            Format::Toml { servers } => self.toml_block(servers, name),
            Format::Json { servers, .. } => {
                let mut fields = self.fields(host);
                if let Adder::App(_) = host.adder {
                    // What is imported is listed by its name, and off unless it says otherwise.
                    fields.insert("name".to_owned(), name.into());
                    fields.insert("isActive".to_owned(), true.into());
                }
                let block = json!({ servers: { name: fields } });
                format!("{block:#}\n")
            }
        }
    }

    pub(super) fn toml_block(&self, servers: &str, name: &str) -> String {
        let args: toml_edit::Array = self.args.iter().collect();
        let command = toml_edit::Value::from(&self.command);
        format!("[{servers}.{name}]\ncommand = {command}\nargs = {args}\n")
    }

    /// The entry as one argument of a command, with its name in it.
    pub(super) fn named_json(&self, host: &Host, name: &str) -> String {
        let mut fields = Map::new();
        fields.insert("name".to_owned(), name.into());
        fields.extend(self.fields(host));
        Value::Object(fields).to_string()
    }

    /// The words of the command that starts it.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.command).chain(self.args.iter().map(|it| &**it))
    }

    /// Reads what a host's file says; `None` if it starts no program.
    pub(super) fn from_value(value: &Value) -> Option<Entry> {
        let command = value.get("command")?.as_str()?.to_owned();
        let args = match value.get("args") {
            None => Vec::new(),
            Some(args) => {
                let args = args.as_array()?.iter();
                args.map(|it| it.as_str().map(str::to_owned))
                    .collect::<Option<_>>()?
            }
        };
        Some(Entry { command, args })
    }
}

/// Whether an entry that is there may be changed: it starts this program, under whatever path.
pub(super) fn is_ours(command: &str, program: &str) -> bool {
    let stem = stem(command);
    stem == "filewright" || stem == self::stem(program)
}

/// The name of a program without its directory and `.exe`, in lower case.
fn stem(command: &str) -> String {
    let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
    let name = name.to_lowercase();
    name.strip_suffix(".exe").unwrap_or(&name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_ours_whatever_its_path() {
        let own = "/opt/filewright-0.1/bin/fw";
        for command in [
            "filewright",
            "/usr/bin/filewright",
            r"C:\Tools\FileWright.EXE",
            "fw",
        ] {
            assert!(is_ours(command, own), "{command}");
        }
        for command in ["npx", "/filewright/npx", "", "filewright-other"] {
            assert!(!is_ours(command, own), "{command}");
        }
    }
}
