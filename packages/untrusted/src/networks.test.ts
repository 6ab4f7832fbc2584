import { judgeAddress, parseNetworks } from './networks';

const judge = (address: string, listed = '') => judgeAddress(address, parseNetworks(listed));

it.each(['1.1.1.1', '93.184.215.14', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:1.1.1.1'])(
  '%s is public',
  (address) => expect(judge(address)).toBe('public'),
);

it.each([
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '203.0.113.7',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::1.1.1.1',
  '64:ff9b:1::10.0.0.1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  '3fff::1',
  '4000::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
])('%s is not called', (address) => expect(judge(address)).toBe('refused'));

it('listed networks are called, and only they', () => {
  const listed = '10.1.0.0/16, 127.0.0.1, fd00::/8,';
  expect(judge('10.1.255.255', listed)).toBe('listed');
  expect(judge('10.2.0.1', listed)).toBe('refused');
  expect(judge('127.0.0.1', listed)).toBe('listed');
  expect(judge('::ffff:127.0.0.1', listed)).toBe('listed');
  expect(judge('127.0.0.2', listed)).toBe('refused');
  expect(judge('fd12::1', listed)).toBe('listed');
  expect(judge('1.1.1.1', listed)).toBe('public');
});

it.each([
  '169.254.169.254',
  '169.254.1.1',
  '::ffff:169.254.169.254',
  '::169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fe80::1',
])('%s is never called, whatever is listed', (address) => {
  expect(judge(address, '0.0.0.0/0, ::/0')).toBe('refused');
});

it.each(['10.1.0.0/33', '10.1/16', '010.0.0.0/8', '0x7f.1', 'example.com', '10.0.0.0/8 10.1.0.0/16'])(
  '"%s" is no network',
  (text) => expect(() => parseNetworks(text)).toThrow('must be a comma list of networks'),
);
