//! Student's distribution.

/// The 97.5 % quantile of the normal distribution.
pub const NORMAL: f64 = 1.959_963_984_540_054;

/// More degrees of freedom are as good as normal, but for a correction.
const MANY: u64 = 1000;

/// The chance that a variable of Student's distribution with `degrees` of freedom, 1 or more, is below `x`: Abramowitz
/// and Stegun, Handbook of Mathematical Functions (1964), 26.7.3, 26.7.4 and, for many degrees, 26.7.8.
pub(super) fn below(x: f64, degrees: u64) -> f64 {
    let n = degrees as f64;
    if degrees > MANY {
        let z = x * (1.0 - 1.0 / (4.0 * n)) / (1.0 + x * x / (2.0 * n)).sqrt();
        return normal(z);
    }
    let angle = (x.abs() / n.sqrt()).atan();
    let (sin, cos) = angle.sin_cos();
    // Terms of cosines with the parity of the degrees of freedom, each a fraction of the one before.
    let series = |first: f64, from: u64| {
        let (mut sum, mut term, mut k) = (0.0, first, from);
        while k <= degrees {
            sum += term;
            term *= cos * cos * (k as f64 - 1.0) / k as f64;
            k += 2;
        }
        sum
    };
    let within = if degrees.is_multiple_of(2) {
        sin * series(1.0, 2)
    } else {
        (angle + sin * series(cos, 3)) * std::f64::consts::FRAC_2_PI
    };
    if x < 0.0 {
        0.5 - within / 2.0
    } else {
        0.5 + within / 2.0
    }
}

/// The chance that a normal variable of mean 0 and deviation 1 is below `x`: Abramowitz and Stegun, Handbook of Mathematical
/// Functions (1964), 7.1.26; within 0.000 000 2.
pub(super) fn normal(x: f64) -> f64 {
    let z = x.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let series = [
        0.254_829_592,
        -0.284_496_736,
        1.421_413_741,
        -1.453_152_027,
        1.061_405_429,
    ];
    let sum = series.iter().rev().fold(0.0, |sum, a| (sum + a) * t);
    let tail = sum * (-z * z).exp() / 2.0;
    if x < 0.0 { tail } else { 1.0 - tail }
}

/// The 97.5 % quantile of Student's distribution, for 1 degree of freedom or more: G. W. Hill, "Algorithm 396:
/// Student's t-quantiles", Communications of the ACM 13 (1970) 619-620; within 0.0001 from 3 degrees on.
pub fn student(degrees: f64) -> f64 {
    // Both tails together.
    const TAILS: f64 = 0.05;
    let half_pi = std::f64::consts::FRAC_PI_2;
    if degrees < 1.5 {
        let angle = TAILS * half_pi;
        return angle.cos() / angle.sin();
    }
    if degrees < 2.5 {
        return (2.0 / (TAILS * (2.0 - TAILS)) - 2.0).sqrt();
    }
    let a = 1.0 / (degrees - 0.5);
    let b = 48.0 / (a * a);
    let mut c = ((20_700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
    let d = ((94.5 / (b + c) - 3.0) / b + 1.0) * (a * half_pi).sqrt() * degrees;
    let mut y = (d * TAILS).powf(2.0 / degrees);
    if y > 0.05 + a {
        let mut x = -NORMAL;
        y = x * x;
        if degrees < 5.0 {
            c += 0.3 * (degrees - 4.5) * (x + 0.6);
        }
        c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b;
        x *= 1.0 + (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b);
        y = (a * x * x).exp_m1();
    } else {
        let tail = (degrees + 6.0) / (degrees * y) - 0.089 * d - 0.822;
        y = ((1.0 / (tail * (degrees + 2.0) * 3.0) + 0.5 / (degrees + 4.0)) * y - 1.0)
            * (degrees + 1.0)
            / (degrees + 2.0)
            + 1.0 / y;
    }
    (degrees * y).sqrt()
}
