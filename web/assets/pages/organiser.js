// What an organiser does to a league from the page: pause it, have a game played again, disqualify an entrant.

import { h } from '../dom.js';
import { marks } from './league.js';

/** Acts that strike results or shut an entrant out: they are asked about once more. */
const GRAVE = new Set(['replay', 'disqualify']);

/** The panel of a league whose server lets an organiser act; the page keeps it while it is open. The token stays in its memory. */
export function organiser(app, send = post) {
  const { t } = app;
  const state = { token: '', reason: '', key: '', entrant: '', asked: null, isBusy: false, said: null };
  /** The button of an act, by its name for the focus. */
  const placeOf = (act) => `acts-${act.act === 'resume' ? 'pause' : act.act}`;
  const type = (name) => (event) => { state[name] = event.target.value; };
  const field = (name, label, props) => h('label', { class: 'field' }, h('span', {}, label), h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', oninput: type(name), ...props }));
  // A button that is disabled would lose the focus.
  const button = (text, onclick, props) => h('button', { type: 'button', 'aria-disabled': state.isBusy ? 'true' : null, onclick: () => (state.isBusy ? null : onclick()), ...props }, text);

  const perform = async (source, act) => {
    Object.assign(state, { asked: null, isBusy: true, said: null });
    app.redraw(placeOf(act));
    const answer = await send({ source, token: state.token, reason: state.reason, ...act });
    Object.assign(state, { isBusy: false, said: answer });
    const text = answer.text === undefined ? refusal(app, answer) : t('acts.done');
    app.say(text);
    app.redraw();
  };
  const ask = (source, act) => {
    if (!GRAVE.has(act.act)) return perform(source, act);
    state.asked = act;
    return app.redraw('acts-no');
  };

  return {
    draw(league) {
      const { source } = league;
      const names = (league.entrants ?? []).map((one) => one.name);
      // Nobody is chosen beforehand: a slip would hit the best.
      const entrant = names.includes(state.entrant) ? state.entrant : '';
      const chosen = (league.entrants ?? []).find((one) => one.name === entrant);
      const isOut = Boolean(chosen?.disqualified);
      const [mayGo, mayReturn] = [Boolean(chosen) && !isOut, isOut || Boolean(chosen?.set_aside)];
      // The focus on a button that goes passes to the other one.
      const focused = globalThis.document?.activeElement?.getAttribute('data-at');
      if (focused === 'acts-disqualify' && !mayGo && mayReturn) app.redraw('acts-reinstate');
      if (focused === 'acts-reinstate' && !mayReturn && mayGo) app.redraw('acts-disqualify');
      const asked = state.asked;
      return h('details', { key: `organiser${source}`, class: 'panel organiser' }, h('summary', {}, t('acts.title')),
        h('p', { class: 'quiet' }, t('acts.lead')),
        h('div', { class: 'acts' },
          field('token', t('acts.token'), { type: 'password' }),
          field('reason', t('acts.reason'), { maxlength: 500 })),
        h('div', { class: 'acts' }, typeof league.paused === 'string'
          ? button(t('acts.resume'), () => ask(source, { act: 'resume' }), { 'data-at': 'acts-pause' })
          : button(t('acts.pause'), () => ask(source, { act: 'pause' }), { 'data-at': 'acts-pause' })),
        h('div', { class: 'acts' },
          field('key', t('acts.key'), { list: `played${source}`, placeholder: '3.0.1' }),
          h('datalist', { id: `played${source}` }, (league.played ?? []).map((one) => h('option', { key: one.key, value: one.key }, one.entrants.join(' – ')))),
          button(t('acts.replay'), () => ask(source, { act: 'replay', key: state.key.trim() }), { 'data-at': 'acts-replay' })),
        h('div', { class: 'acts' },
          h('label', { class: 'field' }, h('span', {}, t('acts.entrant')),
            h('select', { value: entrant, onchange(event) { state.entrant = event.target.value; app.redraw(); } }, h('option', { key: '', value: '' }, t('acts.choose')), (league.entrants ?? []).map((one) => h('option', { key: one.name, value: one.name }, [one.name, ...marks(app, one)].join(' – '))))),
          // What is chosen says which of them make sense.
          mayGo ? button(t('acts.disqualify'), () => ask(source, { act: 'disqualify', entrant }), { key: 'disqualify', 'data-at': 'acts-disqualify' }) : null,
          mayReturn ? button(t('acts.reinstate'), () => ask(source, { act: 'reinstate', entrant }), { key: 'reinstate', 'data-at': 'acts-reinstate' }) : null),
        asked === null ? null : h('div', { key: 'asked', class: 'acts asked', role: 'alertdialog', 'aria-label': t(`acts.sure.${asked.act}`, asked) },
          h('p', {}, t(`acts.sure.${asked.act}`, asked)),
          button(t('acts.yes'), () => perform(source, asked)),
          button(t('do.no'), () => { state.asked = null; app.redraw(placeOf(asked)); }, { 'data-at': 'acts-no' })),
        state.said === null ? null : h('p', { key: 'said', class: state.said.text === undefined ? 'bad' : 'good' }, state.said.text === undefined ? refusal(app, state.said) : t('acts.done')));
    },
  };
}

/** Why an act was not done. */
function refusal(app, answer) {
  if (['token', 'rate', 'net', 'unknown'].includes(answer.code)) return app.t(`acts.wrong.${answer.code}`);
  return app.reason(answer.error ?? '');
}

/** Tells the gateway an act; gives its `text`, or `code` and `error`. Without an answer that can be read it may be done all the same. */
async function post(body) {
  try {
    const answer = await fetch('/api/acts', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    return await answer.json();
  } catch {
    return { code: 'unknown' };
  }
}
