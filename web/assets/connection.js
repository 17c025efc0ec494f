// The WebSocket to the gateway, which is opened again when it is lost.

const WAITS = [250, 500, 1000, 2000, 4000];
/** The gateway says something every 10 s; a connection on which nothing has come for so long is dead. */
const SILENCE_MS = 30_000;
const LOOK_MS = 5000;

export class Connection {
  /** `hello` is the first message; `take` gets each message, `state` each of `open`, `lost` and `closed`. */
  constructor(hello, take, state) {
    this.hello = hello;
    this.take = take;
    this.state = state;
    this.tries = 0;
    this.ended = false;
    this.open();
  }

  open() {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${location.host}/ws`);
    this.socket = socket;
    this.heard = Date.now();
    clearInterval(this.looks);
    this.looks = setInterval(() => this.look(Date.now()), LOOK_MS);
    socket.onopen = () => {
      this.tries = 0;
      socket.send(JSON.stringify(this.hello));
      this.state('open');
    };
    socket.onmessage = (event) => {
      this.heard = Date.now();
      let message;
      try {
        message = JSON.parse(event.data);
      } catch {
        return;
      }
      if (message.type === 'ping') {
        this.send({ type: 'pong' });
        return;
      }
      // A seat that another window has taken, or that is gone, is not taken back.
      if (message.type === 'error' && ['replaced', 'token', 'taken', 'no-table', 'malformed'].includes(message.code)) this.ended = true;
      this.take(message);
    };
    socket.onclose = () => this.lose();
  }

  /** Gives a silent connection up: the browser may take minutes to notice that it is dead. */
  look(now) {
    if (this.ended || now - this.heard < SILENCE_MS) return;
    const { socket } = this;
    Object.assign(socket, { onopen: null, onmessage: null, onclose: null });
    socket.close();
    this.lose();
  }

  /** The connection is lost. */
  lose() {
    clearInterval(this.looks);
    if (this.ended) {
      this.state('closed');
      return;
    }
    this.state('lost');
    const wait = WAITS[Math.min(this.tries, WAITS.length - 1)];
    this.tries += 1;
    this.timer = setTimeout(() => this.open(), wait);
  }

  /** Sends a message; whether the connection stood. */
  send(message) {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** Opens it again, though it has ended. */
  resume() {
    this.ended = false;
    this.tries = 0;
    this.open();
  }

  /** The match is over, or the page is left: the connection is not opened again. */
  end() {
    this.ended = true;
    clearTimeout(this.timer);
  }

  close() {
    this.end();
    clearInterval(this.looks);
    this.socket.close();
  }
}

/** The body of a GET or, with `body`, of a POST of JSON, or of a text or file as it is. Fails with the server's sentence. */
export async function api(path, body) {
  const isText = typeof body === 'string' || body instanceof Blob;
  const request = body === undefined ? {} : { method: 'POST', headers: { 'content-type': isText ? 'text/plain' : 'application/json' }, body: isText ? body : JSON.stringify(body) };
  const response = await fetch(path, request);
  const text = await response.text();
  let value = null;
  try {
    value = JSON.parse(text);
  } catch {
    // An answer that is not JSON is shown as its status.
  }
  if (!response.ok) throw Object.assign(new Error(value?.error ?? `${response.status} ${response.statusText}`), { status: response.status, code: value?.code, line: value?.line });
  return value;
}
