// Drawing: plain nodes, and a comparison that changes only what differs, so that focus, hover and selection stay.

const SVG = 'http://www.w3.org/2000/svg';

// What is invisible, commands a terminal or turns the direction of writing, as `is_printable` of the programs has it.
const HIDDEN = /(?![\t\n\ufe00-\ufe0f\u{e0100}-\u{e01ef}])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff0-\ufffb]/gu;

const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A text with what is hidden in it as escapes: names and reasons come from other programs. */
export function printable(text) {
  return String(text).replace(HIDDEN, (letter) => letter.split('').map(escaped).join(''));
}

/** A node. `null`, `undefined` and booleans among the children are left out, and texts are printable. */
export function h(tag, props, ...children) {
  const flat = children.flat(Infinity).filter((child) => child !== null && child !== undefined && typeof child !== 'boolean');
  const shown = flat.map((child) => (typeof child === 'string' ? printable(child) : child));
  return { tag, props: props ?? {}, key: props?.key, children: shown };
}

/** The text of a node and of all below it, for tests and for names. */
export function textOf(node) {
  return typeof node === 'object' ? node.children.map(textOf).join('') : String(node);
}

/** All nodes of a tree for which `test` holds. */
export function find(node, test) {
  if (typeof node !== 'object') return [];
  return [...(test(node) ? [node] : []), ...node.children.flatMap((child) => find(child, test))];
}

const isProperty = new Set(['value', 'checked', 'disabled', 'selected', 'open', 'hidden']);

/** Sets the handler of an event; some events, such as `focusin`, have no property for it. */
function listen(element, name, handler) {
  if (name in element) {
    element[name] = handler;
    return;
  }
  element.handlers ??= {};
  if (!(name in element.handlers)) element.addEventListener(name.slice(2), (event) => element.handlers[name]?.(event));
  element.handlers[name] = handler;
}

function setProp(element, name, value, before) {
  if (name === 'key' || value === before) return;
  if (name.startsWith('on')) {
    listen(element, name, value ?? null);
  } else if (name === 'style') {
    // The policy of the page forbids the attribute; single properties are allowed.
    for (const property of Object.keys(before ?? {})) if (!(property in (value ?? {}))) element.style.removeProperty(property);
    for (const [property, text] of Object.entries(value ?? {})) element.style.setProperty(property, text);
  } else if (isProperty.has(name) && element.namespaceURI !== SVG) {
    element[name] = value ?? (name === 'value' ? '' : false);
  } else if (value === null || value === undefined || value === false) {
    element.removeAttribute(name);
  } else {
    element.setAttribute(name, value === true ? '' : printable(value));
  }
}

function make(node, parent) {
  if (typeof node !== 'object') return document.createTextNode(String(node));
  const within = parent.namespaceURI === SVG && parent.localName !== 'foreignObject';
  const element = node.tag === 'svg' || within ? document.createElementNS(SVG, node.tag) : document.createElement(node.tag);
  update(element, node, { props: {}, children: [] });
  return element;
}

function update(element, node, before) {
  element.drawn = node;
  const { value, ...props } = node.props;
  for (const name of Object.keys(before.props)) if (!(name in node.props)) setProp(element, name, undefined, before.props[name]);
  for (const name of Object.keys(props)) setProp(element, name, props[name], before.props[name]);
  renderInto(element, node.children);
  // A list of options takes its value only once the options are there.
  if ('value' in node.props) setProp(element, 'value', value, before.props.value);
}

function renderInto(parent, nodes) {
  const old = [...parent.childNodes];
  const keyed = new Map(old.filter((child) => child.drawn?.key !== undefined).map((child) => [child.drawn.key, child]));
  const used = new Set();
  let next = 0;
  const children = nodes.map((node) => {
    const fits = (child) => {
      if (!child || used.has(child)) return false;
      if (typeof node !== 'object') return child.nodeType === 3;
      return child.drawn?.tag === node.tag && child.drawn.key === node.key;
    };
    let child;
    if (node.key !== undefined) {
      child = keyed.get(node.key);
    } else {
      while (next < old.length && (used.has(old[next]) || old[next].drawn?.key !== undefined)) next += 1;
      child = old[next];
      if (fits(child)) next += 1;
    }
    if (!fits(child)) return make(node, parent);
    used.add(child);
    if (typeof node !== 'object') {
      if (child.data !== String(node)) child.data = String(node);
    } else {
      update(child, node, child.drawn);
    }
    return child;
  });
  for (const child of old) if (!used.has(child)) child.remove();
  children.forEach((child, index) => {
    if (parent.childNodes[index] !== child) parent.insertBefore(child, parent.childNodes[index] ?? null);
  });
}

/** Makes the content of an element equal to the nodes; the element that has the focus keeps it. */
export function render(root, nodes) {
  const active = document.activeElement;
  renderInto(root, [nodes].flat());
  if (active && active !== document.activeElement && active.isConnected) active.focus({ preventScroll: true });
}

/** Moves the focus to the element that bears `data-at`, for keyboard play. */
export function focusAt(root, at) {
  root.querySelector(`[data-at="${CSS.escape(String(at))}"]`)?.focus({ preventScroll: true });
}

/**
 * Starts the animation of a played piece or card from the place that its `data-from` names, otherwise from above.
 */
export function travel(root) {
  for (const one of root.querySelectorAll('.played:not([data-travels])')) {
    one.setAttribute('data-travels', '');
    const from = root.querySelector(`[data-at="${one.dataset.from}"], [data-place="${one.dataset.from}"]`);
    if (!from) continue;
    const put = (x, y) => ['--dx', '--dy'].forEach((name, k) => one.style.setProperty(name, `${[x, y][k]}px`));
    // The measurement needs the final position.
    put(0, 0);
    const [a, b] = [from, one].map((each) => each.getBoundingClientRect());
    const scale = one.ownerSVGElement?.getScreenCTM()?.a ?? 1;
    put((a.x + a.width / 2 - b.x - b.width / 2) / scale, (a.y + a.height / 2 - b.y - b.height / 2) / scale);
  }
}

/** The square of a grid that an arrow key leads to, or `null`. */
export function arrow(key, [x, y], [width, height]) {
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  if (!step) return null;
  return [Math.min(width - 1, Math.max(0, x + step[0])), Math.min(height - 1, Math.max(0, y + step[1]))];
}

/** The point of a pointer event in the units of a drawing. */
export function pointIn(svg, event) {
  const matrix = svg.getScreenCTM();
  if (!matrix) return [0, 0];
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  return [point.x, point.y];
}
