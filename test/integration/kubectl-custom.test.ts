/** A real kubectl with custom resources: a definition as large as those of real operators, explained and used. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KubectlServer, startKubectlServer } from './support/kubectl.ts'

/** Four levels with twelve fields each, a sentence for each: a few hundred KiB. */
const fields = (depth: number): object =>
  Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => {
      const description = `What part ${i} of level ${depth} is for, in as many words as authors of operators like to use.`
      const inner =
        depth > 0 && i < 6
          ? { type: 'object', properties: fields(depth - 1) }
          : { type: i % 2 === 0 ? 'integer' : 'string' }
      return [`part${i}`, { description, ...inner }]
    }),
  )

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'ships.sea.example.com' },
  spec: {
    group: 'sea.example.com',
    scope: 'Namespaced',
    names: { plural: 'ships', singular: 'ship', kind: 'Ship', shortNames: ['sh'], categories: ['all'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: 'Masts', type: 'integer', jsonPath: '.spec.masts' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A ship.',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                properties: { masts: { type: 'integer', description: 'How many masts it has.' }, parts: nested() },
                'x-kubernetes-validations': [{ rule: 'self.masts < 8', message: 'too many masts' }],
              },
            },
          },
        },
      },
    ],
  },
}
function nested(): object {
  return { type: 'object', properties: fields(3) }
}

const ship = (masts: unknown) => ({
  apiVersion: 'sea.example.com/v1',
  kind: 'Ship',
  metadata: { name: 'one' },
  spec: { masts },
})

describe('kubectl', () => {
  let server: KubectlServer
  const ok = (...args: string[]): Promise<string> => server.ok(...args)

  beforeAll(async () => {
    server = await startKubectlServer()
  })
  afterAll(() => server?.close())

  it('installs a large definition, and explains it', async () => {
    const path = server.file('crd.json', definition)
    expect(JSON.stringify(definition).length).toBeGreaterThan(300_000)
    expect(await ok('apply', '--server-side', '-f', path)).toContain('serverside-applied')
    await ok('wait', '--for=condition=Established', 'crd/ships.sea.example.com', '--timeout=100s')
    expect(await ok('explain', 'ship.spec.masts')).toContain('How many masts it has.')
    expect(await ok('explain', 'ships.spec.parts.part0.part1')).toMatch(/FIELD: part1 <Object>[\s\S]*part0\t<Object>/)
    expect(await ok('explain', 'sh', '--output=plaintext-openapiv2')).toContain('KIND:     Ship')
  })

  it('uses it by all its names', async () => {
    expect(await ok('apply', '-f', server.file('ship.json', ship(3)))).toBe('ship.sea.example.com/one created\n')
    expect(await ok('get', 'sh')).toMatch(/^NAME +MASTS\none +3\n$/)
    expect(await ok('get', 'all', '-o', 'name')).toContain('ship.sea.example.com/one')
    const refused = await server.call('apply', '-f', server.file('ship.json', ship(9)))
    expect(refused.stderr).toContain('spec: Invalid value: "object": too many masts')
    const wrong = await server.call('apply', '--validate=false', '-f', server.file('ship.json', ship('many')))
    expect(wrong.stderr).toContain('spec.masts: Invalid value: "string"')
    expect(await ok('patch', 'ship', 'one', '--type=merge', '-p', '{"spec":{"masts":4}}')).toContain('patched')
    expect(await ok('delete', 'crd', 'ships.sea.example.com')).toContain('deleted')
    expect((await server.call('get', 'ships')).stderr).toContain('Error from server (NotFound)')
  })
})
