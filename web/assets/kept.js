// What the browser keeps for the page.

export const read = (name) => {
  try {
    return localStorage.getItem(`taikyoku.${name}`);
  } catch {
    return null;
  }
};

export const write = (name, value) => {
  try {
    localStorage.setItem(`taikyoku.${name}`, value);
  } catch {
    // A browser that keeps nothing forgets the choice with the page.
  }
};
