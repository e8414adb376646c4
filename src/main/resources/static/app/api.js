// Asks the service, and listens for changes.
import { lang } from './words.js';

export class Refused extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

export async function ask(path, parameters = {}) {
  const query = new URLSearchParams({ ...parameters, lang });
  return answer(await fetch(`/api/v1${path}?${query}`, { headers: { Accept: 'application/json' } }));
}

export async function tell(path, body) {
  const headers = { 'Content-Type': 'application/json', 'X-Onset': '1' };
  return answer(await fetch(`/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) }));
}

async function answer(response) {
  if (response.ok) return response.json();
  let detail = '';
  try {
    detail = (await response.json()).detail ?? '';
  } catch {
    // a proxy may answer with anything
  }
  throw new Refused(response.status, detail);
}

/**
 * Calls back after each step. State is fetched, never streamed, so a page that was away simply fetches again.
 *
 * @param {{tick: (changed: string[]) => void, lost: (since: number) => void, back: () => void}} listener
 */
export function listen(listener) {
  let lostSince = null;
  const connect = () => {
    const source = new EventSource('/api/v1/events');
    source.addEventListener('open', () => {
      if (lostSince !== null) {
        lostSince = null;
        listener.back();
      }
    });
    source.addEventListener('tick', (event) => listener.tick(JSON.parse(event.data).changed));
    source.addEventListener('error', () => {
      lostSince ??= Date.now();
      listener.lost(lostSince);
      if (source.readyState === EventSource.CLOSED) {
        source.close(); // the browser gave up, for instance because a proxy answered with an error
        setTimeout(connect, 5000);
      }
    });
    addEventListener('pagehide', () => source.close(), { once: true });
  };
  connect();
}
