// What a reader has chosen: a name, language, light or dark, the pace of moves, whether thoughts are shown during a game.

import { languageOf, textIn } from './i18n/index.js';

const read = (name) => {
  try {
    return localStorage.getItem(`taikyoku.${name}`);
  } catch {
    return null;
  }
};

const write = (name, value) => {
  try {
    localStorage.setItem(`taikyoku.${name}`, value);
  } catch {
    // A browser that keeps nothing forgets the choice with the page.
  }
};

export const settings = {
  language: languageOf([new URLSearchParams(location.search).get('lang'), read('language'), ...navigator.languages]),
  theme: read('theme'),
  thoughts: read('thoughts') === 'yes',
  /** At a table and beside it; `null` where none was chosen. */
  paces: { play: read('pace.play'), watch: read('pace.watch') },
  /** What the reader is called at tables; `null` where nothing was said yet. */
  name: read('name'),

  t: (key, values) => textIn(settings.language, key, values),

  /** Puts the choices on the document. */
  apply() {
    document.documentElement.lang = settings.language;
    if (settings.theme) document.documentElement.dataset.theme = settings.theme;
  },

  toggleLanguage() {
    settings.language = settings.language === 'ja' ? 'en' : 'ja';
    write('language', settings.language);
    settings.apply();
  },

  toggleTheme() {
    const now = settings.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    settings.theme = now === 'dark' ? 'light' : 'dark';
    write('theme', settings.theme);
    settings.apply();
  },

  choosePace(place, pace) {
    settings.paces[place] = pace;
    write(`pace.${place}`, pace);
  },

  keepName(name) {
    settings.name = name;
    write('name', name);
  },

  toggleThoughts() {
    settings.thoughts = !settings.thoughts;
    write('thoughts', settings.thoughts ? 'yes' : 'no');
  },
};
