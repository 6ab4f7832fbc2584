import { apiUrls } from './api-urls';
import { idFromUrl } from './id-from-url';

const urls = apiUrls('https://docs.example.com:8443/api');

describe('apiUrls', () => {
  it.each([
    [urls.queue(3), 'https://docs.example.com:8443/api/v1/queues/3'],
    [urls.inbox(4), 'https://docs.example.com:8443/api/v1/inboxes/4'],
    [urls.automationBlocker(5), 'https://docs.example.com:8443/api/v1/automation_blockers/5'],
    [urls.organizationGroup(6), 'https://docs.example.com:8443/api/v1/organization_groups/6'],
    [urls.emailThread(7), 'https://docs.example.com:8443/api/v1/email_threads/7'],
    [urls.annotationContent(8), 'https://docs.example.com:8443/api/v1/annotations/8/content'],
    [urls.contentNode(8, 9), 'https://docs.example.com:8443/api/v1/annotations/8/content/9'],
    [urls.documentContent(10), 'https://docs.example.com:8443/api/v1/documents/10/content'],
    [urls.pageContent(11), 'https://docs.example.com:8443/api/v1/pages/11/content'],
    [urls.original('a/b'), 'https://docs.example.com:8443/api/v1/original/a%2Fb'],
    [urls.collection('annotations'), 'https://docs.example.com:8443/api/v1/annotations'],
    [urls.root, 'https://docs.example.com:8443/api/v1'],
  ])('makes %s', (made, expected) => {
    expect(made).toBe(expected);
  });

  it('ignores a slash at the end of the base', () => {
    expect(apiUrls('http://127.0.0.1:8080/api/').task(1)).toBe('http://127.0.0.1:8080/api/v1/tasks/1');
  });
});

describe('idFromUrl', () => {
  it.each([
    ['https://docs.example.com:8443/api/v1/queues/3', 3],
    ['https://docs.example.com:8443/api/v1/queues/3/', 3],
    ['http://other.example/elsewhere/api/v1/queues/3', 3],
    ['https://docs.example.com/v1/queues/3', 3],
    ['/api/v1/queues/3', 3],
    ['/v1/queues/3', 3],
    ['https://h/api/v1/queues/3?fields=id', 3],
    [`https://h/api/v1/queues/${Number.MAX_SAFE_INTEGER}`, Number.MAX_SAFE_INTEGER],
  ])('reads %s', (url, id) => {
    expect(idFromUrl('queues', url)).toBe(id);
  });

  it('reads a hook by its older path too', () => {
    expect(idFromUrl('hooks', 'https://h/api/v1/webhooks/3')).toBe(3);
    expect(idFromUrl('queues', 'https://h/api/v1/webhooks/3')).toBeNull();
  });

  it.each([
    ['another collection', 'https://h/api/v1/schemas/3'],
    ['a collection that only ends alike', 'https://h/api/v1/xqueues/3'],
    ['something below the object', 'https://h/api/v1/queues/3/export'],
    ['two slashes at the end', 'https://h/api/v1/queues/3//'],
    ['no version', 'https://h/api/queues/3'],
    ['a version of another name', 'https://h/api/xv1/queues/3'],
    ['a path without a slash in front', 'v1/queues/3'],
    ['the URL in the query only', 'https://h/?next=/v1/queues/3'],
    ['id zero', 'https://h/api/v1/queues/0'],
    ['a negative id', 'https://h/api/v1/queues/-3'],
    ['an id with a fraction', 'https://h/api/v1/queues/3.0'],
    ['an id beyond exact integers', 'https://h/api/v1/queues/9007199254740993'],
    ['a bare integer as text', '3'],
    ['a bare integer', 3],
    ['null', null],
    ['an object', { url: 'https://h/api/v1/queues/3' }],
    ['white space inside', 'https://h/api /v1/queues/3'],
    ['a line after it', 'https://h/api/v1/queues/3\n'],
  ])('refuses %s', (_what, url) => {
    expect(idFromUrl('queues', url)).toBeNull();
  });

  it('answers at once for a long hostile text', () => {
    const started = performance.now();
    expect(idFromUrl('queues', `https://${'h/'.repeat(200_000)}`)).toBeNull();
    expect(performance.now() - started).toBeLessThan(3000);
  });

  it('reads what apiUrls makes', () => {
    expect(idFromUrl('annotations', urls.annotation(42))).toBe(42);
    expect(idFromUrl('document_relations', urls.documentRelation(42))).toBe(42);
  });
});
