// The WebSocket to the gateway, which is opened again when it is lost.

const WAITS = [250, 500, 1000, 2000, 4000];

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
    socket.onopen = () => {
      this.tries = 0;
      socket.send(JSON.stringify(this.hello));
      this.state('open');
    };
    socket.onmessage = (event) => {
      let message;
      try {
        message = JSON.parse(event.data);
      } catch {
        return;
      }
      // A seat that another window has taken, or that is gone, is not taken back.
      if (message.type === 'error' && ['replaced', 'token', 'no-table', 'malformed'].includes(message.code)) this.ended = true;
      this.take(message);
    };
    socket.onclose = () => {
      if (this.ended) {
        this.state('closed');
        return;
      }
      this.state('lost');
      const wait = WAITS[Math.min(this.tries, WAITS.length - 1)];
      this.tries += 1;
      this.timer = setTimeout(() => this.open(), wait);
    };
  }

  /** Sends a message; whether the connection stood. */
  send(message) {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** The match is over, or the page is left: the connection is not opened again. */
  end() {
    this.ended = true;
    clearTimeout(this.timer);
  }

  close() {
    this.end();
    this.socket.close();
  }
}

/** The body of a GET or, with `body`, of a POST. Fails with the server's sentence. */
export async function api(path, body) {
  const request = body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(path, request);
  const text = await response.text();
  let value = null;
  try {
    value = JSON.parse(text);
  } catch {
    // An answer that is not JSON is shown as its status.
  }
  if (!response.ok) throw new Error(value?.error ?? `${response.status} ${response.statusText}`);
  return value;
}
