//! The list of a server's tools, page by page.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{Client, Failure};
use crate::rpc::answer::Outcome;
use crate::words::clipped;

/// A server that always has another page is not followed for ever.
const MOST_PAGES: usize = 1_000;

/// Characters of an answer that are repeated.
const SHOWN: usize = 100;

impl Client {
    /// Every tool as the server describes it, or why there is no list.
    pub(crate) fn tools(&self) -> Result<Result<Vec<Value>, String>, Failure> {
        let mut tools = Vec::new();
        let mut params = json!({});
        let mut cursors = HashSet::new();
        for _ in 0..MOST_PAGES {
            let page = match self.request("tools/list", params)? {
                Outcome::Result(page) => page,
                Outcome::Error { code, message } => return Ok(Err(format!("{code} {message}"))),
            };
            let Some(these) = page["tools"].as_array() else {
                let page = page.to_string();
                return Ok(Err(format!("no list of tools: {}", clipped(&page, SHOWN))));
            };
            tools.extend(these.iter().cloned());
            match &page["nextCursor"] {
                Value::Null => return Ok(Ok(tools)),
                // Clients in JavaScript take it for none.
                cursor if cursor == "" => return Ok(Ok(tools)),
                cursor if !cursors.insert(cursor.to_string()) => {
                    let cursor = cursor.to_string();
                    let cursor = clipped(&cursor, SHOWN);
                    return Ok(Err(format!("the cursor {cursor} comes a second time")));
                }
                cursor => params = json!({"cursor": cursor}),
            }
        }
        Ok(Err(format!("still more after {MOST_PAGES} pages")))
    }
}
