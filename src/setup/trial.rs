//! Starts what an entry says, as the host will, and shakes hands with it.

use std::collections::HashMap;
use std::time::Duration;

use super::entry::Entry;
use crate::client::{Client, Launch, Limits, Oddity, greet_legacy};
use crate::protocol::{Era, newest_date};
use crate::rpc::answer::Outcome;

/// How long the answer may take.
const LIMIT: Duration = Duration::from_secs(10);

/// The name and version with which the server introduces itself, or why it does not.
pub(super) fn trial(entry: &Entry) -> Result<String, String> {
    within(LIMIT, entry)
}

fn within(limit: Duration, entry: &Entry) -> Result<String, String> {
    let limits = Limits {
        usual: limit,
        methods: HashMap::new(),
    };
    let client = Client::start(&launch(entry), limits, None)
        .map_err(|error| format!("{} can't be started: {error}", entry.command))?;
    let outcome = greet_legacy(&client, newest_date(Era::Legacy));
    let noise = client.oddities().into_iter().find_map(|it| match it {
        Oddity::Noise(line) => Some(format!("a line of its stdout is no message: {line}")),
        _ => None,
    });
    client.end();
    if let Some(noise) = noise {
        return Err(noise);
    }
    match outcome {
        Ok(Outcome::Result(result)) => {
            let info = &result["serverInfo"];
            match (info["name"].as_str(), info["version"].as_str()) {
                (Some(name), Some(version)) => Ok(format!("{name} {version}")),
                _ => Err(format!("it answered {result}")),
            }
        }
        Ok(Outcome::Error { code, message }) => Err(format!("it refused: {code} {message}")),
        Err(failure) => Err(failure.to_string()),
    }
}

fn launch(entry: &Entry) -> Launch {
    // A host does not have what is set in this shell.
    let variables = std::env::vars_os().map(|(name, it)| (name.to_string_lossy().into_owned(), it));
    let variables = variables.filter(|(name, _)| !name.starts_with("FILEWRIGHT_"));
    Launch {
        program: (&entry.command).into(),
        arguments: entry.args.iter().map(Into::into).collect(),
        directory: Some(std::env::temp_dir()),
        variables: variables.collect(),
        has_clean_environment: true,
        ignores_stderr: false,
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_fails(script: &str, limit: Duration, expected: &str) {
        let entry = Entry {
            command: "sh".to_owned(),
            args: vec!["-c".to_owned(), script.to_owned()],
        };
        let said = within(limit, &entry).unwrap_err();
        assert!(said.contains(expected), "{said}");
    }

    #[test]
    fn a_process_that_says_nothing_is_not_waited_for_forever() {
        let limit = Duration::from_millis(50);
        let expected = "no answer within 0.05 s";
        assert_fails("while read line; do :; done", limit, expected);
    }

    #[test]
    fn what_went_wrong_is_said() {
        let script = "read line; echo 'no such key' >&2; exit 3";
        assert_fails(script, LIMIT, "no such key");
        assert_fails("read line; exit 3", LIMIT, "exit code 3");
        let script = "echo starting; read line; exit 0";
        assert_fails(script, LIMIT, "no message: starting");
        let script =
            r#"read line; echo '{"id":1,"error":{"code":-1,"message":"not now"}}'; read line"#;
        assert_fails(script, LIMIT, "it refused: -1 not now");
        let script = r#"read line; echo '{"id":1,"result":{}}'; read line"#;
        assert_fails(script, LIMIT, "it answered {}");
        let entry = Entry {
            command: "/no/such/program".to_owned(),
            args: Vec::new(),
        };
        assert!(trial(&entry).unwrap_err().contains("/no/such/program"));
    }
}
