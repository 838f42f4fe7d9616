/**
 * A program that offers an API of its own, and nothing of a cluster: boats in berths. The server runs in this process; who
 * may do what, and what a boat must be like, is decided by functions of this program.
 */
import { createServer, type EmbeddedServer, type StoreOptions } from 'pilothouse-apiserver'

const boats = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.harbour.example' },
  spec: {
    group: 'harbour.example',
    scope: 'Namespaced',
    names: { plural: 'boats', kind: 'Boat' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { length: { type: 'integer' }, berth: { type: 'string' }, master: { type: 'string' } },
              },
            },
          },
        },
      },
    ],
  },
}

/** Keys are tokens; in real life an identity provider would know. */
const people: ReadonlyMap<string, { name: string; groups: string[] }> = new Map([
  ['wheel', { name: 'ada', groups: ['masters'] }],
  ['telescope', { name: 'ben', groups: ['visitors'] }],
])

export async function openHarbour(store: StoreOptions = { kind: 'memory' }): Promise<EmbeddedServer> {
  const server = await createServer({
    profile: 'crds',
    store,
    background: true,
    authenticators: [({ token }) => (token === undefined ? undefined : people.get(token))],
    authorizers: [
      ({ user, verb, isResource, group }) => {
        if (!isResource) return 'allow'
        if (group !== 'harbour.example') return undefined
        if (user.groups.includes('masters')) return 'allow'
        return ['get', 'list', 'watch'].includes(verb) ? 'allow' : { verdict: 'deny', reason: 'visitors only look' }
      },
    ],
    admission: {
      plugins: [
        {
          name: 'Harbourmaster',
          match: { operations: ['CREATE', 'UPDATE'], resources: ['boats'] },
          mutate: ({ object, user }) => ({ ...object, spec: { master: user.name, ...object?.spec } }),
          validate: ({ object }) => object?.spec?.length <= 30 || 'the harbour is for boats of up to 30 feet',
        },
      ],
    },
  })
  const { status, body } = await server.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', boats)
  if (status !== 201 && status !== 409) throw new Error(body['message'])
  await untilServed(server)
  return server
}

/** A definition is served a moment after it was created. */
async function untilServed(server: EmbeddedServer): Promise<void> {
  for (;;) {
    const { status } = await server.call('GET', '/apis/harbour.example/v1/boats')
    if (status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
