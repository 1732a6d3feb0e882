//! The requests that have been read and not yet answered.
//!
//! **Whoever lands a flight may answer it, and nobody else**: so each request is answered once, a
//! cancelled one never.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
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
    pub(super) progress_token: Option<Box<RawValue>>,
    /// Where the answer is gathered, for a request that came in a batch.
    pub(super) batch: Option<Arc<Batch>>,
    pub(super) stop: Stop,
    pub(super) received: Instant,
}

#[derive(Debug, Default)]
pub(super) struct Flights {
    flying: Mutex<HashMap<Id, Arc<Flight>>>,
}

impl Flights {
    /// False if a request with this id is under way already.
    pub(super) fn start(&self, flight: &Arc<Flight>) -> bool {
        match self.lock().entry(flight.id.clone()) {
            Entry::Occupied(_) => false,
            Entry::Vacant(place) => {
                place.insert(Arc::clone(flight));
                true
            }
        }
    }

    pub(super) fn holds(&self, id: &Id) -> bool {
        self.lock().contains_key(id)
    }

    /// Ends a flight. True for the first who does, who then owes the answer.
    pub(super) fn land(&self, flight: &Arc<Flight>) -> bool {
        match self.lock().entry(flight.id.clone()) {
            Entry::Occupied(place) if Arc::ptr_eq(place.get(), flight) => {
                place.remove();
                true
            }
            _ => false,
        }
    }

    /// Ends a flight that nobody waits for any more, and stops its work.
    pub(super) fn cancel(&self, id: &Id) -> Option<Arc<Flight>> {
        let flight = self.lock().remove(id)?;
        flight.stop.cancel();
        Some(flight)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().is_empty()
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
