import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import { chosenContainer, firstPort, kubeletAddress, podAddress } from './pod-location.ts'
import { endpointAddress, portName, proxyTarget } from './proxy-target.ts'

const object = (fields: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'X',
  metadata: { name: 'x', namespace: 'ns' },
  ...fields,
})

describe('what a path asks for', () => {
  test.each([
    ['a', { scheme: '', name: 'a', port: '' }],
    ['a:80', { scheme: '', name: 'a', port: '80' }],
    ['https:a:web', { scheme: 'https', name: 'a', port: 'web' }],
    [':a:', { scheme: '', name: 'a', port: '' }],
  ])('%s', (text, expected) => {
    expect(proxyTarget(text, 'pod')).toEqual(expected)
  })

  test.each(['', ':80', 'ftp:a:80', 'a:b:c:d'])('%j is nothing', (text) => {
    expect(() => proxyTarget(text, 'pod')).toThrow(`invalid pod request "${text}"`)
  })
})

describe('a service', () => {
  const service = object({ spec: { ports: [{ port: 80 }, { name: 'web', port: 81 }] } })
  const pod = object({ status: { podIPs: [{ ip: '10.0.0.1' }] } })
  const address = { ip: '10.0.0.1', targetRef: { namespace: 'ns', name: 'p' } }
  const search = {
    asked: 'x:web',
    port: 'web',
    findPod: (name: string) => (name === 'p' ? pod : undefined),
    random: () => 0,
  }
  const endpoints = (addresses: object[], ports: object[] = [{ name: 'web', port: 8080 }]): KubeObject =>
    object({ subsets: [{ addresses, ports }] })

  test('has ports by number', () => {
    expect(portName(service, '80')).toBe('')
    expect(portName(service, '81')).toBe('web')
    expect(() => portName(service, '82')).toThrow('no service port 82 found for service "x"')
  })

  test('is its pods', () => {
    expect(endpointAddress(endpoints([address]), search)).toEqual(['10.0.0.1', '8080'])
  })

  test.each([
    ['no subset', object({}), 'no endpoints available for service "x"'],
    ['no such port', endpoints([address], [{ port: 1 }]), 'no endpoints available for service "x:web"'],
    ['addresses of nobody', endpoints([{ ip: '10.0.0.1' }]), 'no endpoints available for service "x:web"'],
    ['addresses of others', endpoints([{ ...address, ip: '10.0.0.2' }]), 'no endpoints available for service "x:web"'],
    [
      'addresses of other namespaces',
      endpoints([{ ...address, targetRef: { namespace: 'other', name: 'p' } }]),
      'no endpoints available for service "x:web"',
    ],
  ])('with %s is nobody', (_, given, why) => {
    expect(() => endpointAddress(given, search)).toThrow(why)
  })
})

describe('a pod', () => {
  const spec = (...names: string[]) => ({
    containers: names.map((name) => ({ name })),
    initContainers: [{ name: 'i' }],
  })

  test('has one container that runs, or must be asked for one', () => {
    expect(chosenContainer(object({ spec: spec('a') }), '')).toBe('a')
    expect(chosenContainer(object({ spec: spec('a') }), 'i')).toBe('i')
    expect(() => chosenContainer(object({ spec: spec('a', 'b') }), '')).toThrow(
      'a container name must be specified for pod x, choose one of: [i a b]',
    )
    expect(() => chosenContainer(object({ spec: spec('a') }), 'z')).toThrow('container z is not valid for pod x')
  })

  test('is reached at the first port of any container', () => {
    expect(firstPort(object({ spec: { containers: [{}, { ports: [{ containerPort: 5 }] }] } }))).toBe('5')
    expect(firstPort(object({ spec: { containers: [{}] } }))).toBe('')
  })

  test.each(['', '127.0.0.1', '169.254.169.254', '224.0.0.1', '0.0.0.0', '255.255.255.255', '::1', 'fe80::1', 'x'])(
    'is not reached at %j',
    (ip) => {
      expect(() => podAddress(object({ status: { podIPs: [{ ip }] } }))).toThrow('address not allowed')
    },
  )

  test('is reached elsewhere', () => {
    expect(podAddress(object({ status: { podIPs: [{ ip: '10.1.2.3' }] } }))).toBe('10.1.2.3')
  })
})

test('a node without an address that is wanted tells those that it has', () => {
  const node = object({ status: { addresses: [{ type: 'Hostname', address: 'h' }] } })
  expect(() => kubeletAddress(node, ['InternalIP'])).toThrow(
    'no preferred addresses found; known addresses: [{Hostname h}]',
  )
})
