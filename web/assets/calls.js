// What calls the reader: sounds, and the system's notice that it is the reader's turn.

import { BOARDS } from './boards/index.js';
import { h } from './dom.js';
import { isRush, playSound } from './sound.js';

/** The sound of what a message has changed; `frame` is the last one, and `before` that before the message. */
export function soundOf({ reel, seat, table }, what, before, isHidden, frame = reel.last) {
  if (what === 'offer') return 'turn';
  if (what === 'frame') return !frame.move ? null : BOARDS[table.game].isCapture?.(frame, before) ? 'capture' : 'move';
  // With two players the other one's move says as much.
  if (what === 'ask') return isHidden || frame?.players.length > 2 ? 'turn' : null;
  if (what !== 'result') return null;
  const places = reel.results.get(frame?.game)?.places ?? [];
  if (seat === null || places.length === 0 || new Set(places).size === 1) return 'end';
  return places[seat] === 1 ? 'won' : 'lost';
}

let notice = null;

/** Calls the reader, as far as the reader wants it, to what a message has changed. */
export function call(app, session, what, before, frame = session.reel.last) {
  const { settings, t } = app;
  const isHidden = Boolean(globalThis.document?.hidden);
  const sound = soundOf(session, what, before, isHidden, frame);
  const isHeard = sound !== null && !(what === 'frame' && isRush(performance.now()));
  if (settings.sound && isHeard) playSound(sound);
  if (what === 'frame') notice?.close();
  if (what !== 'ask' || !isHidden || !settings.notices || globalThis.Notification?.permission !== 'granted') return;
  try {
    notice = new Notification(t('turn.you'), { body: t(`game.${session.table.game}`), tag: session.table.id, icon: '/assets/icon.svg' });
    notice.onclick = () => { window.focus(); notice.close(); };
  } catch {
    // Some browsers of phones have the name and refuse the use.
  }
}

/** The choice of notices; the browser asks for leave when they are switched on. Not every browser has them, and none without TLS except for its own machine. */
export function noticeField(app) {
  const { settings, t } = app;
  if (!globalThis.Notification) return null;
  const change = async () => {
    settings.keepNotices(!settings.notices);
    if (settings.notices && (await Notification.requestPermission()) !== 'granted') settings.keepNotices(false);
    app.redraw();
  };
  return h('label', { key: 'notices', class: 'check' }, h('input', { type: 'checkbox', checked: settings.notices, disabled: Notification.permission === 'denied', onchange: change }),
    Notification.permission === 'denied' ? t('notice.denied') : t('notice.label'));
}
