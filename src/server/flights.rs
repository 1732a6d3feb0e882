//! The requests that have been read and not yet answered.
//!
//! **Whoever lands a flight may answer it, and nobody else**: so each request is answered once, a
//! cancelled one never.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::value::RawValue;

use crate::fs::Stop;
use crate::protocol::Revision;
use crate::rpc::Id;
use crate::rpc::batch::Batch;

/// One request under way.
#[derive(Debug)]
pub(super) struct Flight {
    pub(super) id: Id,
    pub(super) revision: &'static Revision,
    /// The tool that runs; nothing for a listener, which runs nothing.
    pub(super) tool: Option<&'static str>,
    /// What a log calls the request.
    pub(super) label: String,
    pub(super) progress_token: Option<Box<RawValue>>,
    /// Where the answer is gathered, for a request that came in a batch.
    pub(super) batch: Option<Arc<Batch>>,
    pub(super) stop: Stop,
    pub(super) received: Instant,
}

#[derive(Debug, Default)]
pub(super) struct Flights {
    flying: Mutex<HashMap<Id, Arc<Flight>>>,
    /// Flights that have not been dealt with: under way, or landed with their answer not yet queued.
    open: AtomicUsize,
}

/// The right to answer one flight. Until it is dropped the session waits for that answer.
#[derive(Debug)]
pub(super) struct Landing<'a> {
    open: &'a AtomicUsize,
}

impl Drop for Landing<'_> {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Flights {
    /// False if a request with this id is under way already.
    pub(super) fn start(&self, flight: &Arc<Flight>) -> bool {
        match self.lock().entry(flight.id.clone()) {
            Entry::Occupied(_) => false,
            Entry::Vacant(place) => {
                place.insert(Arc::clone(flight));
                self.open.fetch_add(1, Ordering::SeqCst);
                true
            }
        }
    }

    /// Does something only while the request is under way, so that nothing follows its end.
    pub(super) fn while_flying(&self, id: &Id, act: impl FnOnce()) {
        let flying = self.lock();
        if flying.contains_key(id) {
            act();
        }
    }

    pub(super) fn holds(&self, id: &Id) -> bool {
        self.lock().contains_key(id)
    }

    /// Ends a flight. Only the first who does gets to answer it; its id is free from here on.
    pub(super) fn land(&self, flight: &Arc<Flight>) -> Option<Landing<'_>> {
        match self.lock().entry(flight.id.clone()) {
            Entry::Occupied(place) if Arc::ptr_eq(place.get(), flight) => {
                place.remove();
                Some(Landing { open: &self.open })
            }
            _ => None,
        }
    }

    /// Ends a flight that nobody waits for any more, and stops its work.
    pub(super) fn cancel(&self, id: &Id) -> Option<(Arc<Flight>, Landing<'_>)> {
        let flight = self.lock().remove(id)?;
        flight.stop.cancel();
        Some((flight, Landing { open: &self.open }))
    }

    /// Whether every answer that is owed has been queued.
    pub(super) fn are_all_answered(&self) -> bool {
        self.open.load(Ordering::SeqCst) == 0
    }

    pub(super) fn listeners(&self) -> Vec<Arc<Flight>> {
        self.filtered(|it| it.tool.is_none())
    }

    /// The calls whose time was up before this.
    pub(super) fn overdue(&self, limit: Instant) -> Vec<Arc<Flight>> {
        self.filtered(|it| it.tool.is_some() && it.stop.deadline() < limit)
    }

    fn filtered(&self, wanted: impl Fn(&Flight) -> bool) -> Vec<Arc<Flight>> {
        self.lock()
            .values()
            .filter(|it| wanted(it))
            .cloned()
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Id, Arc<Flight>>> {
        self.flying.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
