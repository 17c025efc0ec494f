//! Steps of Adam (D. P. Kingma and J. Ba, "Adam: a method for stochastic optimization", 2015).

/// The means of the slopes of some numbers and of their squares, which say how far a step goes.
#[derive(Clone, Debug)]
pub struct Adam {
    first: Vec<f32>,
    second: Vec<f32>,
    decay: [f32; 2],
    steps: i32,
}

impl Adam {
    /// For so many numbers, with the decay of both means, 0 to 1.
    pub fn new(count: usize, decay: [f32; 2]) -> Self {
        Self {
            first: vec![0.0; count],
            second: vec![0.0; count],
            decay,
            steps: 0,
        }
    }

    /// Takes a step along the slopes times `scale`: upward where that is positive. `rate` is how far a number goes at most,
    /// about.
    pub fn step(&mut self, numbers: &mut [f32], slopes: &[f32], scale: f32, rate: f32) {
        self.steps += 1;
        let [one, two] = self.decay;
        let rate = rate * (1.0 - two.powi(self.steps)).sqrt() / (1.0 - one.powi(self.steps));
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((number, slope), (first, second)) in numbers.iter_mut().zip(slopes).zip(moments) {
            let slope = slope * scale;
            *first += (1.0 - one) * (slope - *first);
            *second += (1.0 - two) * (slope * slope - *second);
            *number += rate * *first / (second.sqrt() + 1e-7);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first step goes as far as the rate says, whatever the slope; later ones come to rest at the summit.
    #[test]
    fn steps_go_up_to_the_summit() {
        let mut adam = Adam::new(2, [0.9, 0.999]);
        let mut numbers = [5.0, -3.0];
        let slopes = |numbers: &[f32; 2]| [-1000.0 * numbers[0], -0.01 * numbers[1]];
        adam.step(&mut numbers, &slopes(&[5.0, -3.0]), 1.0, 0.1);
        assert!((numbers[0] - 4.9).abs() < 1e-3 && (numbers[1] + 2.9).abs() < 1e-3);
        for _ in 0..2000 {
            let slopes = slopes(&numbers);
            adam.step(&mut numbers, &slopes, 1.0, 0.02);
        }
        assert!(
            numbers[0].abs() < 0.05 && numbers[1].abs() < 0.05,
            "{numbers:?}"
        );
    }
}
