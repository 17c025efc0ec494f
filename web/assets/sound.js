// Sounds, made by the browser: a move, a capture, the reader's turn, the end of a game.

/** The notes of each sound: pitch in Hz at the beginning and at the end, beginning and length in seconds. */
const NOTES = {
  move: [[340, 150, 0, 0.07]],
  capture: [[340, 150, 0, 0.06], [210, 80, 0.07, 0.12]],
  turn: [[587, 587, 0, 0.12], [880, 880, 0.1, 0.2]],
  won: [[523, 523, 0, 0.14], [659, 659, 0.12, 0.14], [784, 784, 0.24, 0.32]],
  lost: [[392, 392, 0, 0.18], [311, 311, 0.16, 0.36]],
  end: [[440, 440, 0, 0.14], [440, 440, 0.18, 0.26]],
};
const LOUDNESS = 0.16;
/** Of more than two moves within so many milliseconds the later ones are silent. */
const RUSH_MS = 240;

let context = null;
/** When the last sound ends. */
let free = 0;
let moves = [-Infinity, -Infinity];

/** Whether a move at this time, in milliseconds, is one of a rush. */
export function isRush(now) {
  const [first, second] = moves;
  moves = [second, now];
  return now - first < RUSH_MS;
}

function sing() {
  const begin = Math.max(context.currentTime, free);
  return ([from, to, after, length]) => {
    const [pitch, volume] = [context.createOscillator(), context.createGain()];
    const [on, off] = [begin + after, begin + after + length];
    pitch.type = 'triangle';
    pitch.frequency.setValueAtTime(from, on);
    pitch.frequency.exponentialRampToValueAtTime(to, off);
    volume.gain.setValueAtTime(LOUDNESS, on);
    volume.gain.exponentialRampToValueAtTime(0.001, off);
    pitch.connect(volume).connect(context.destination);
    pitch.start(on);
    pitch.stop(off);
    free = Math.max(free, off);
  };
}

/** Plays a sound after those that are still heard. Browsers allow none before the first press on the page. */
export async function playSound(name) {
  if (!globalThis.AudioContext || !navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  if (context.state === 'suspended') await context.resume();
  NOTES[name].forEach(sing());
}
