//! The process group that a server leads: itself, and what it has started.

/// Ends all of it at once.
#[cfg(unix)]
pub(super) fn kill(leader: u32) {
    use rustix::process::{Signal, kill_process_group};
    // Nothing may be left of it.
    let _ = pid(leader).map(|it| kill_process_group(it, Signal::KILL));
}

/// Asks all of it to end; whether there is anybody to be asked.
#[cfg(unix)]
pub(super) fn terminate(leader: u32) -> bool {
    use rustix::process::{Signal, kill_process_group};
    pid(leader).is_some_and(|it| kill_process_group(it, Signal::TERM).is_ok())
}

/// Whether a process of it still runs. One that has ended, and that its new parent has not asked about
/// yet, is a member too, and runs no more.
#[cfg(unix)]
pub(super) fn has_members(leader: u32) -> bool {
    let is_there = pid(leader).map(rustix::process::test_kill_process_group);
    if is_there.is_none_or(|it| it.is_err()) {
        return false;
    }
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return true;
    };
    let stat = |it: std::fs::DirEntry| std::fs::read_to_string(it.path().join("stat")).ok();
    let mut stats = processes.filter_map(|it| stat(it.ok()?)).peekable();
    // Without a list of processes the signal is all there is to go by.
    stats.peek().is_none() || stats.any(|it| is_member(&it, leader))
}

/// From a line of `/proc/PID/stat`: PID (NAME) STATE PARENT GROUP …, where the name may hold anything
/// (proc_pid_stat(5)).
#[cfg(unix)]
fn is_member(stat: &str, leader: u32) -> bool {
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let mut fields = fields.split(' ');
    let has_ended = matches!(fields.next(), Some("Z" | "X"));
    let group = fields.nth(1).and_then(|it| it.parse().ok());
    group == Some(leader) && !has_ended
}

#[cfg(unix)]
fn pid(leader: u32) -> Option<rustix::process::Pid> {
    rustix::process::Pid::from_raw(leader.cast_signed())
}

#[cfg(not(unix))]
pub(super) fn kill(_: u32) {}

/// There is no such request that a program without windows would hear.
#[cfg(not(unix))]
pub(super) fn terminate(_: u32) -> bool {
    false
}

#[cfg(not(unix))]
pub(super) fn has_members(_: u32) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn who_has_ended_is_no_member_whatever_its_name() {
        assert!(is_member("7 (a) b) S 1 42 42 0 -1", 42));
        assert!(!is_member("7 (cat) Z 1 42 42 0 -1", 42));
        assert!(!is_member("7 (cat) S 42 7 7 0 -1", 42));
        assert!(!is_member("", 42));
    }
}
