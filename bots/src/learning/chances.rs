//! Logits and the chances that follow from them.

/// The first of the greatest.
pub fn likeliest(logits: &[f32]) -> usize {
    let mut best = 0;
    for (i, &logit) in logits.iter().enumerate() {
        if logit > logits[best] {
            best = i;
        }
    }
    best
}

/// Turns logits into the logarithms of the chances of their softmax.
pub fn to_log_chances(logits: &mut [f32]) {
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = logits.iter().map(|l| (l - top).exp()).sum();
    let log_sum = top + sum.ln();
    for logit in logits {
        *logit -= log_sum;
    }
}
