//! An entry in a TOML file that people edit too.
//!
//! The text is cut and joined at the places that the parser names, so that every other byte stays:
//! toml_edit itself would write the line ends anew. What comes out is read again and compared.

use std::ops::Range;

use anyhow::{Result, anyhow, bail};
use toml_edit::{Document, Item, Table, Value};

use super::entry::Entry;

/// The file in which the entries of one host are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Toml<'a> {
    /// The table that holds the servers.
    pub(super) servers: &'a str,
}

impl Toml<'_> {
    /// The entry of this name, as JSON has it.
    pub(super) fn entry(&self, text: &str, name: &str) -> Result<Option<serde_json::Value>> {
        parse(text)?;
        self.checked_servers(&table(text)?)?;
        let entry = table(text)?.remove(self.servers);
        let entry = entry.and_then(|it| it.get(name).cloned());
        let value = entry.map(|it| serde_json::to_value(it).map_err(Into::into));
        value.transpose()
    }

    /// The text with the entry. What else an entry has that is there stays.
    pub(super) fn with(&self, text: &str, name: &str, entry: &Entry) -> Result<String> {
        let document = parse(text)?;
        let mut expected = table(text)?;
        self.checked_servers(&expected)?;
        let there = document.get(self.servers).and_then(|it| it.get(name));
        let changed = match there {
            None => self.appended(text, name, entry),
            Some(there) if there.is_table_like() => replaced(text, there, entry),
            Some(_) => bail!("{}.{name} is no table", self.servers),
        };
        let servers = expected
            .entry(self.servers)
            .or_insert_with(|| toml::Value::Table(toml::Table::new()));
        if let Some(servers) = servers.as_table_mut() {
            let there = servers
                .entry(name)
                .or_insert_with(|| toml::Value::Table(toml::Table::new()));
            if let Some(there) = there.as_table_mut() {
                there.insert("command".to_owned(), (*entry.command).into());
                there.insert("args".to_owned(), entry.args.clone().into());
            }
        }
        self.verified(changed, &expected)
    }

    /// The text without the entry.
    pub(super) fn without(&self, text: &str, name: &str) -> Result<String> {
        let document = parse(text)?;
        let mut expected = table(text)?;
        self.checked_servers(&expected)?;
        let Some((key, item)) = document
            .get(self.servers)
            .and_then(Item::as_table_like)
            .and_then(|it| it.get_key_value(name))
        else {
            return Ok(text.to_owned());
        };
        let mut pieces = Vec::new();
        match item.as_table() {
            // The header's words are in the place of the table itself.
            Some(table) => headed(table, &mut pieces),
            None => pieces.extend(key.span().zip(item.span()).map(|(a, b)| a.start..b.end)),
        }
        let mut changed = text.to_owned();
        pieces.sort_by_key(|it| std::cmp::Reverse(it.start));
        for piece in pieces {
            changed.replace_range(whole_lines(text, piece), "");
        }
        if let Some(servers) = expected
            .get_mut(self.servers)
            .and_then(toml::Value::as_table_mut)
        {
            servers.remove(name);
        }
        self.verified(changed, &expected)
    }

    fn checked_servers(&self, table: &toml::Table) -> Result<()> {
        match table.get(self.servers) {
            Some(servers) if !servers.is_table() => bail!("{} is no table", self.servers),
            _ => Ok(()),
        }
    }

    fn appended(&self, text: &str, name: &str, entry: &Entry) -> String {
        let mut changed = text.to_owned();
        if !text.is_empty() {
            if !text.ends_with('\n') {
                changed.push('\n');
            }
            changed.push('\n');
        }
        changed.push_str(&entry.toml_block(self.servers, name));
        match newline(text) {
            // What was there has its line ends already.
            "\r\n" => text.to_owned() + &changed[text.len()..].replace('\n', "\r\n"),
            _ => changed,
        }
    }

    /// A text that says nothing but what was meant. An empty table of servers is as good as none.
    fn verified(&self, changed: String, expected: &toml::Table) -> Result<String> {
        let plain = |mut it: toml::Table| {
            let servers = it.get(self.servers).and_then(toml::Value::as_table);
            if servers.is_some_and(toml::Table::is_empty) {
                it.remove(self.servers);
            }
            it
        };
        match table(&changed) {
            Ok(found) if plain(found.clone()) == plain(expected.clone()) => Ok(changed),
            _ => bail!(
                "{} is written in a way that can only be changed by hand",
                self.servers
            ),
        }
    }
}

fn parse(text: &str) -> Result<Document<&str>> {
    Document::parse(text).map_err(|error| anyhow!("it is not valid TOML: {error}"))
}

fn table(text: &str) -> Result<toml::Table> {
    text.parse()
        .map_err(|error| anyhow!("it is not valid TOML: {error}"))
}

/// The text with the command and the arguments of an entry that is there, where they differ.
fn replaced(text: &str, there: &Item, entry: &Entry) -> String {
    let mut changed = text.to_owned();
    let args: toml_edit::Array = entry.args.iter().collect();
    let command = there.get("command").and_then(Item::as_value);
    let old_args = there.get("args").and_then(Item::as_value);
    let mut edits = Vec::new();
    if let Some(place) = command.and_then(Value::span)
        && command.and_then(Value::as_str) != Some(&entry.command)
    {
        edits.push((place, Value::from(&entry.command).to_string()));
    }
    match old_args {
        Some(old) if texts(old).is_none_or(|it| it != entry.args) => {
            edits.extend(old.span().map(|place| (place, args.to_string())));
        }
        Some(_) => {}
        None => {
            let end = command.and_then(Value::span).map_or(0, |it| it.end);
            if there.is_inline_table() {
                edits.push((end..end, format!(", args = {args}")));
            } else {
                let end = text[end..].find('\n').map_or(text.len(), |it| end + it);
                let end = end - usize::from(text[..end].ends_with('\r'));
                edits.push((end..end, format!("{}args = {args}", newline(text))));
            }
        }
    }
    edits.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    for (place, new) in edits {
        changed.replace_range(place, &new);
    }
    changed
}

fn texts(array: &Value) -> Option<Vec<&str>> {
    array.as_array()?.iter().map(Value::as_str).collect()
}

/// The places of a table with a header and of the tables below it, each from the header to the
/// last value.
fn headed(table: &Table, pieces: &mut Vec<Range<usize>>) {
    // One that only its children name has no header, and its place is that of the children.
    if let Some(header) = table.span().filter(|_| !table.is_implicit()) {
        pieces.push(header.start..header.end.max(last_value(table)));
    }
    for (_, item) in table {
        match item {
            Item::Table(below) if !below.is_dotted() => headed(below, pieces),
            Item::ArrayOfTables(many) => many.iter().for_each(|it| headed(it, pieces)),
            _ => {}
        }
    }
}

/// Where the last value below the table's own header ends.
fn last_value(table: &Table) -> usize {
    let ends = table.iter().map(|(_, item)| match item {
        Item::Value(value) => value.span().map_or(0, |it| it.end),
        Item::Table(below) if below.is_dotted() => last_value(below),
        _ => 0,
    });
    ends.max().unwrap_or(0)
}

/// The lines that a piece lies in, and one blank line before them.
fn whole_lines(text: &str, piece: Range<usize>) -> Range<usize> {
    let mut start = text[..piece.start].rfind('\n').map_or(0, |it| it + 1);
    let end = text[piece.end..]
        .find('\n')
        .map_or(text.len(), |it| piece.end + it + 1);
    for blank in ["\r\n", "\n"] {
        let before = text[..start].strip_suffix(blank);
        if let Some(before) = before.filter(|it| it.is_empty() || it.ends_with('\n')) {
            start = before.len();
            break;
        }
    }
    start..end
}

/// The line end of the text: that of its first line.
fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(end) if text[..end].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
