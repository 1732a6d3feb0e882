//! The same counting, compiled for processors that have AVX2, chosen when the program runs.
#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "a function compiled for instructions that a processor may lack is unsafe to call"
    )
)]

use super::count_lanes::Lanes;

/// Counts the next piece of a text with the widest instructions there are.
pub(super) fn add(lanes: &mut Lanes, text: &str) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, as has just been asked.
        return unsafe { add_avx2(lanes, text) };
    }
    lanes.add(text);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_avx2(lanes: &mut Lanes, text: &str) {
    lanes.add(text);
}
