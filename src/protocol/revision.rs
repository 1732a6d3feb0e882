//! The revisions of the Model Context Protocol that are spoken, a row each.
//!
//! Behaviour asks a row for its fact; dates are compared for equality only.

/// How a connection is opened, and how requests and answers are dressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// `initialize` first; the revision it settles holds for requests that claim none.
    Legacy,
    /// Every request names its revision in `_meta`.
    Modern,
}

/// One dated edition of the protocol, and what sets it apart for a server of tools.
#[derive(Debug)]
pub(crate) struct Revision {
    pub(crate) date: &'static str,
    pub(crate) era: Era,
    /// `Tool.annotations`, and audio blocks.
    pub(crate) has_annotations: bool,
    /// `title`, `outputSchema`, `structuredContent`, and `_meta` on tools.
    pub(crate) has_structured_content: bool,
    /// `description` in the server's own entry.
    pub(crate) has_server_description: bool,
    /// `message` in progress notifications.
    pub(crate) has_progress_message: bool,
    /// Arrays of messages on one line.
    pub(crate) has_batches: bool,
}

/// Oldest first, the newest of its era last.
pub(crate) static REVISIONS: [Revision; 5] = [
    Revision {
        date: "2024-11-05",
        era: Era::Legacy,
        has_annotations: false,
        has_structured_content: false,
        has_server_description: false,
        has_progress_message: false,
        has_batches: false,
    },
    Revision {
        date: "2025-03-26",
        era: Era::Legacy,
        has_annotations: true,
        has_structured_content: false,
        has_server_description: false,
        has_progress_message: true,
        has_batches: true,
    },
    Revision {
        date: "2025-06-18",
        era: Era::Legacy,
        has_annotations: true,
        has_structured_content: true,
        has_server_description: false,
        has_progress_message: true,
        has_batches: false,
    },
    Revision {
        date: "2025-11-25",
        era: Era::Legacy,
        has_annotations: true,
        has_structured_content: true,
        has_server_description: true,
        has_progress_message: true,
        has_batches: false,
    },
    Revision {
        date: "2026-07-28",
        era: Era::Modern,
        has_annotations: true,
        has_structured_content: true,
        has_server_description: true,
        has_progress_message: true,
        has_batches: false,
    },
];

/// The revision of this date, if that era has it.
pub(crate) fn find(era: Era, date: &str) -> Option<&'static Revision> {
    of(era).find(|it| it.date == date)
}

/// What is offered to a client whose own revision we do not speak.
pub(crate) fn newest(era: Era) -> &'static Revision {
    of(era).last().unwrap_or(&REVISIONS[0])
}

/// The revisions of one era, oldest first.
pub(crate) fn of(era: Era) -> impl Iterator<Item = &'static Revision> {
    REVISIONS.iter().filter(move |it| it.era == era)
}
