// Signs of buttons, drawn, so that they do not depend on the fonts of a machine.

import { h } from './dom.js';

const FILLED = {
  first: 'M4 4H6.5V20H4ZM20 4V20L8 12Z',
  back: 'M17 4V20L5 12Z',
  on: 'M7 4V20L19 12Z',
  last: 'M17.5 4H20V20H17.5ZM4 4V20L16 12Z',
  play: 'M7 4V20L19 12Z',
  pause: 'M6 4H10V20H6ZM14 4H18V20H14Z',
  theme: 'M12 3A9 9 0 0 0 12 21ZM12 3A9 9 0 0 1 12 21V19A7 7 0 0 0 12 5Z',
};
const DRAWN = {
  sound: 'M4 9.5V14.5H8L12.5 18.5V5.5L8 9.5ZM16 9A4.2 4.2 0 0 1 16 15M18.5 6.2A8.2 8.2 0 0 1 18.5 17.8',
  silent: 'M4 9.5V14.5H8L12.5 18.5V5.5L8 9.5ZM16 9.5L21 14.5M21 9.5L16 14.5',
  left: 'M4.5 4V9.5H10M5 9.5A8 8 0 1 1 4.2 14',
  right: 'M19.5 4V9.5H14M19 9.5A8 8 0 1 0 19.8 14',
  flip: 'M12 3V21M8.5 7L3.5 17H8.5ZM15.5 7L20.5 17H15.5Z',
};

/** The sign of that name. */
export function icon(name) {
  return h('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, h('path', { class: name in FILLED ? 'filled' : 'drawn', d: FILLED[name] ?? DRAWN[name] }));
}
