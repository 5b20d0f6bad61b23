import { BlockList, isIP } from 'node:net';

/** Networks of IPv4 that are no public ones (RFC 6890 and its list at IANA). */
const IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Of the public addresses of IPv6, those that are kept for documents or carry an address of IPv4 that is not looked at. */
const IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const closed = listOf(IPV4, IPV6);
const publicIpv6 = listOf([], ['2000::/3']);
const mappedIpv4 = listOf([], ['::ffff:0:0/96']);

function listOf(ipv4: readonly string[], ipv6: readonly string[]): BlockList {
  const list = new BlockList();
  const add = (subnets: readonly string[], type: 'ipv4' | 'ipv6'): void => {
    for (const subnet of subnets) {
      const [network = '', prefix] = subnet.split('/');
      list.addSubnet(network, Number(prefix), type);
    }
  };
  add(ipv4, 'ipv4');
  add(ipv6, 'ipv6');
  return list;
}

/** Whether an IP address, without brackets, is one of the internet: not of this machine, of a private network, of a link or of a cloud's metadata. */
export function isPublicAddress(address: string): boolean {
  // A zone belongs to an address of a link.
  if (address.includes('%')) return false;
  switch (isIP(address)) {
    case 4:
      return !closed.check(address, 'ipv4');
    case 6:
      return (
        (publicIpv6.check(address, 'ipv6') || mappedIpv4.check(address, 'ipv6')) &&
        !closed.check(address, 'ipv6')
      );
    default:
      return false;
  }
}
