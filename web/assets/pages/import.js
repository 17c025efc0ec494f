// A text or a file that a reader brings: the server makes a record of it, and its replay is shown.

import { api } from '../connection.js';
import { h } from '../dom.js';
import { sentences } from '../i18n/reasons.js';

const MOST_MIB = 8;
/** What the server recognises. */
const FORMATS = ['record', 'blksgf', 'csa', 'usi', 'uecda-log', 'gat-log'];

const fetched = () => api('/assets/imports.json').then(sentences, () => []);

/** The panel that takes a text, a file, or what is dropped anywhere on the page; `send` posts it. */
export function importer(app, send = (text) => api('/api/import', text), reasons = fetched) {
  const { t } = app;
  const state = { isOpen: false, isOver: false, isBusy: false, text: '', failed: null, made: null };
  const show = (changes) => { Object.assign(state, changes); app.redraw(); };

  /** What is wrong, with its line and with what the text was read as. */
  async function wrong({ message, status, code, line }) {
    const why = status ? app.reason(message, undefined, await reasons()) : t('home.noServer');
    return [FORMATS.includes(code) ? t('import.as', { format: t(`import.${code}`) }) : null, line ? t('import.at', { n: line, why }) : why].filter(Boolean).join(' ');
  }

  async function take(text) {
    if (state.isBusy) return;
    if (new Blob([text]).size > MOST_MIB << 20) {
      show({ isOpen: true, failed: t('import.large', { n: MOST_MIB }) });
      return;
    }
    show({ isOpen: true, isBusy: true, failed: null, made: null });
    try {
      const made = await send(text);
      const notes = [made.unfinished ? t('import.unfinished') : null, made.variations ? t('import.variations') : null].filter(Boolean);
      show({ isBusy: false, made: { ...made, notes } });
      if (notes.length === 0) app.go(`/g/${encodeURIComponent(made.id)}`);
    } catch (error) {
      show({ isBusy: false, failed: await wrong(error) });
    }
  }

  /** Whether something is dragged that can be opened; a text goes into the field as elsewhere. */
  const accepts = ({ dataTransfer, target }) => {
    const types = [...(dataTransfer?.types ?? [])];
    return types.includes('Files') || (types.includes('text/plain') && !target.closest?.('textarea'));
  };
  const over = (isOver) => { if (state.isOver !== isOver) show({ isOver }); };
  const hears = {
    dragover(event) {
      if (!accepts(event)) return;
      event.preventDefault();
      over(true);
    },
    dragleave(event) { if (!event.relatedTarget) over(false); },
    drop(event) {
      if (!accepts(event)) return;
      event.preventDefault();
      over(false);
      take(event.dataTransfer.files[0] ?? event.dataTransfer.getData('text/plain'));
    },
  };
  for (const [name, hear] of Object.entries(hears)) window.addEventListener(name, hear);

  return {
    draw: () => h('details', { key: 'import', class: `panel import ${state.isOver ? 'over' : ''}`, open: state.isOpen, ontoggle(event) { state.isOpen = event.currentTarget.open; } },
      h('summary', {}, t('import.title')),
      h('p', { class: 'quiet' }, t('import.lead')),
      h('label', { class: 'field' }, h('span', {}, t('import.text')), h('textarea', { rows: 6, spellcheck: 'false', autocomplete: 'off', value: state.text, oninput(event) { show({ text: event.target.value }); } })),
      h('div', { class: 'links' },
        h('button', { type: 'button', class: 'primary', disabled: state.isBusy || state.text.trim() === '', onclick: () => take(state.text) }, t('import.open')),
        h('label', { class: 'field inline' }, h('span', {}, t('import.file')), h('input', { type: 'file', onchange(event) { const [file] = event.target.files; if (file) take(file); event.target.value = ''; } }))),
      state.failed ? h('p', { key: 'failed', class: 'bad', role: 'alert' }, state.failed) : null,
      state.made?.notes.length > 0 ? h('p', { key: 'made', role: 'status' }, [...state.made.notes, ' '].join(' '), h('a', { href: `/g/${encodeURIComponent(state.made.id)}`, onclick: app.follow }, t('do.replay'))) : null),

    close() {
      for (const [name, hear] of Object.entries(hears)) window.removeEventListener(name, hear);
    },
  };
}
