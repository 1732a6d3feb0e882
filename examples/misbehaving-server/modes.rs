//! The ways to misbehave, one a pitfall, and what they do to the handshake and to the list of tools.

use serde_json::{Value, json};

macro_rules! modes {
    ($($mode:ident $name:literal $what:literal,)+) => {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(crate) enum Mode { $($mode),+ }

        /// By the name that is typed, with what it does.
        pub(crate) const MODES: &[(&str, Mode, &str)] = &[$(($name, Mode::$mode, $what)),+];
    };
}

modes! {
    Healthy "healthy" "does everything right",
    OffersNoTools "offers-no-tools" "does everything right, without any tools",
    PingsWithOurIds "pings-with-our-ids" "pings its client before each answer, with the same id",
    EndsLate "ends-late" "has a helper that ends a moment after it",
    ExitsAtInitialize "exits-at-initialize" "ends with an error on stderr",
    Silent "silent" "reads and never answers",
    LogsToStdout "logs-to-stdout" "begins with a log line on stdout",
    LogsInCalls "logs-in-calls" "writes a log line to stdout when it is called",
    PrintsInATool "prints-in-a-tool" "has a tool that prints to stdout",
    PrettyPrints "pretty-prints" "indents its messages",
    WritesGbk "writes-gbk" "writes in the ANSI code page of a Chinese Windows",
    BeginsWithMark "begins-with-mark" "puts a byte-order mark before each message",
    EndsLinesInCrLf "ends-lines-in-crlf" "translates LF to CR LF",
    WritesInPieces "writes-in-pieces" "writes each message in two writes",
    EndsNoLine "ends-no-line" "leaves out the line feed after each message",
    DoesNotFlush "does-not-flush" "keeps everything in a buffer until its end",
    CutsAtPipeSize "cuts-at-pipe-size" "loses what is beyond 64 KB",
    AnswersAtLength "answers-at-length" "answers an unknown method with 100 MB",
    FloodsStderr "floods-stderr" "writes 500 KB to stderr before it reads",
    WritesToStderr "writes-to-stderr" "writes to stderr at each message",
    DiesAtDiscover "dies-at-discover" "ends at the probe of the modern era",
    SilentAtDiscover "silent-at-discover" "does not answer the probe of the modern era",
    RefusesInitialize "refuses-initialize" "answers initialize with an error",
    GivesNoVersion "gives-no-version" "answers initialize without protocolVersion",
    GivesVersionAsNumber "gives-version-as-number" "answers initialize with a number for protocolVersion",
    GivesOddVersion "gives-odd-version" "answers initialize with a revision of its own",
    GivesNoServerInfo "gives-no-server-info" "answers initialize without serverInfo",
    GivesNoCapabilities "gives-no-capabilities" "answers initialize without capabilities",
    AnswersInitialized "answers-initialized" "answers notifications/initialized",
    SilentUntilInitialized "silent-until-initialized" "ignores a ping before notifications/initialized",
    IdsAsText "ids-as-text" "makes text of every id",
    IdsAsFloats "ids-as-floats" "loses the last digit of large ids",
    AnswersTwice "answers-twice" "answers each request twice",
    AnswersNotifications "answers-notifications" "answers notifications that it does not know",
    KnowsEveryMethod "knows-every-method" "answers unknown methods with a result",
    DiesOnBadLine "dies-on-bad-line" "ends when a line is no JSON",
    ParsesChunks "parses-chunks" "takes what one read returns for whole messages",
    ParsesShortChunks "parses-short-chunks" "does so where a read returns little",
    TakesOneOfARead "takes-one-of-a-read" "loses what comes behind a message in one read",
    LosesLargeLines "loses-large-lines" "loses messages of more than 200 KB",
    BlocksInACall "blocks-in-a-call" "answers nothing while a tool runs",
    AnswersCancelled "answers-cancelled" "answers a cancelled request once more",
    IgnoresPing "ignores-ping" "never answers a ping",
    AnswersPingWithText "answers-ping-with-text" "answers a ping with a text",
    ForgetsJsonrpc "forgets-jsonrpc" "leaves jsonrpc out of every answer",
    DiesAfterSixty "dies-after-sixty" "ends after sixty pings",
    HangsAfterSixty "hangs-after-sixty" "falls silent after sixty pings",
    HasNoList "has-no-list" "answers tools/list with an error",
    NamesWithDots "names-with-dots" "has a tool whose name has a dot",
    ArrayWithoutItems "array-without-items" "has a schema that model APIs refuse",
    UnionTypes "union-types" "has a schema that some model APIs refuse",
    DescribesNothing "describes-nothing" "has tools without a description",
    GivesNoHints "gives-no-hints" "has tools without annotations",
    KnowsEveryTool "knows-every-tool" "answers a call of an unknown tool with success",
    FailsUnknownTools "fails-unknown-tools" "answers a call of an unknown tool with isError",
    ErrorsForFailures "errors-for-failures" "answers a failing call with an error of the protocol",
    FailsWithoutText "fails-without-text" "says isError and nothing else",
    ChangesTools "changes-tools" "has another tool after three pings, and ends after six",
    IgnoresEof "ignores-eof" "stays when stdin ends",
    LeavesOrphan "leaves-orphan" "leaves another process behind",
}

/// The result of `initialize`.
pub(crate) fn greeting(mode: Mode, params: &Value) -> Value {
    let mut greeting = json!({
        "protocolVersion": params["protocolVersion"],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "misbehaving", "version": "1.0.0"},
    });
    match mode {
        Mode::OffersNoTools => greeting["capabilities"] = json!({"resources": {}}),
        Mode::GivesNoVersion => drop(
            greeting
                .as_object_mut()
                .map(|it| it.remove("protocolVersion")),
        ),
        Mode::GivesVersionAsNumber => greeting["protocolVersion"] = json!(2.0),
        Mode::GivesOddVersion => greeting["protocolVersion"] = json!("1.0"),
        Mode::GivesNoServerInfo => drop(greeting.as_object_mut().map(|it| it.remove("serverInfo"))),
        Mode::GivesNoCapabilities => {
            drop(greeting.as_object_mut().map(|it| it.remove("capabilities")));
        }
        _ => {}
    }
    greeting
}

pub(crate) fn tools(mode: Mode, has_changed: bool) -> Value {
    let text = match mode {
        Mode::ArrayWithoutItems => json!({"type": "array"}),
        Mode::UnionTypes => json!({"type": ["string", "null"], "default": null}),
        _ => json!({"type": "string", "description": "What to repeat."}),
    };
    let mut tool = json!({
        "name": if mode == Mode::NamesWithDots { "text.echo" } else { "echo" },
        "description": "Repeat a text.",
        "inputSchema": {"type": "object", "properties": {"text": text}, "required": ["text"]},
        "annotations": {"readOnlyHint": true},
    });
    match mode {
        Mode::DescribesNothing => drop(tool.as_object_mut().map(|it| it.remove("description"))),
        Mode::GivesNoHints => drop(tool.as_object_mut().map(|it| it.remove("annotations"))),
        _ => {}
    }
    match has_changed {
        true => json!([tool, {"name": "more", "inputSchema": {"type": "object"}}]),
        false => json!([tool]),
    }
}
