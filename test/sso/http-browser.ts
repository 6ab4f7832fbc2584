/** An answer whose body was read. */
export interface Visit {
  readonly url: string;
  readonly status: number;
  readonly location: string | null;
  readonly headers: Headers;
  readonly text: string;
}

/** Requests with the cookies that a browser would keep, for each host and port, without following anything. */
export class HttpBrowser {
  private readonly jars = new Map<string, Map<string, string>>();

  /** Cookies of a host, by name. */
  cookiesOf(url: string): Map<string, string> {
    const { host } = new URL(url);
    const jar = this.jars.get(host) ?? new Map<string, string>();
    this.jars.set(host, jar);
    return jar;
  }

  async visit(url: string, form?: Readonly<Record<string, string>>): Promise<Visit> {
    const jar = this.cookiesOf(url);
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      body: form && new URLSearchParams(form),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0\b/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    const location = response.headers.get('location');
    return {
      url,
      status: response.status,
      location: location && new URL(location, url).href,
      headers: response.headers,
      text: await response.text(),
    };
  }

  /**
   * Goes from the provider's authorization endpoint through its pages (login, consent), and answers where it sends the browser
   * back to, without going there.
   */
  async logInAtProvider(authorizationUrl: string, login: string): Promise<string> {
    const { origin } = new URL(authorizationUrl);
    let page = await this.visit(authorizationUrl);
    for (let steps = 0; steps < 10; steps++) {
      if (page.location) {
        if (!page.location.startsWith(origin)) return page.location;
        page = await this.visit(page.location);
        continue;
      }
      const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1];
      const prompt = /name="prompt" value="(\w+)"/.exec(page.text)?.[1];
      if (!action || !prompt) throw new Error(`no form: ${page.status} ${page.text.slice(0, 500)}`);
      page = await this.visit(new URL(action, page.url).href, { prompt, login, password: 'any' });
    }
    throw new Error('the provider does not come to an end');
  }
}
