/** Who signs a request that does not say: kubelets are known by what they ask for, everybody else by nothing. */
import type { JsonObject } from '../../../../api/json.ts'
import { type DerValue, readDer, readObjectId, readText } from '../../../../lib/der-reader.ts'
import { pemBlocks } from '../../../../lib/pem.ts'

const organizationId = '2.5.4.10'
const commonNameId = '2.5.4.3'
const extensionRequestId = '1.2.840.113549.1.9.14'
const alternativeNameId = '2.5.29.17'

/** Kinds of alternative names by their tag. */
const nameTags = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 }

const legacy = 'kubernetes.io/legacy-unknown'

export function defaultSigner({ request, usages }: JsonObject): string {
  const asked = typeof request === 'string' ? readRequest(request) : undefined
  if (asked === undefined || !isNode(asked)) return legacy
  const has = (...names: (keyof typeof nameTags)[]): boolean => names.some((name) => asked.names.has(nameTags[name]))
  if (!has('dns', 'email', 'ip', 'uri') && isUsage(usages, 'client auth')) {
    return 'kubernetes.io/kube-apiserver-client-kubelet'
  }
  const isServing = has('dns', 'ip') && !has('email', 'uri') && isUsage(usages, 'server auth')
  return isServing ? 'kubernetes.io/kubelet-serving' : legacy
}

function isUsage(usages: unknown, purpose: string): boolean {
  const given = new Set(Array.isArray(usages) ? usages : [])
  // Keys that are not RSA encipher no keys.
  given.delete('key encipherment')
  return given.size === 2 && given.has('digital signature') && given.has(purpose)
}

interface Asked {
  readonly organizations: readonly string[]
  readonly commonName: string
  /** The tags of the alternative names. */
  readonly names: ReadonlySet<number>
}

const isNode = ({ organizations, commonName }: Asked): boolean =>
  organizations.length === 1 && organizations[0] === 'system:nodes' && commonName.startsWith('system:node:')

function readRequest(base64: string): Asked | undefined {
  const [block] = pemBlocks(Buffer.from(base64, 'base64').toString('latin1'))
  if (block?.type !== 'CERTIFICATE REQUEST') return undefined
  try {
    const [outer] = readDer(block.bytes)
    const [info] = readDer(outer?.contents ?? Buffer.alloc(0))
    const [, subject, , attributes] = readDer(info?.contents ?? Buffer.alloc(0))
    if (subject === undefined) return undefined
    const parts = readDer(subject.contents).flatMap(({ contents }) => readDer(contents).map(readPair))
    return {
      organizations: parts.filter(([id]) => id === organizationId).map(([, value]) => readText(value)),
      commonName:
        parts
          .filter(([id]) => id === commonNameId)
          .map(([, value]) => readText(value))
          .at(-1) ?? '',
      names: new Set(attributes === undefined ? [] : alternativeNames(attributes)),
    }
  } catch {
    return undefined
  }
}

/** An identifier and the value that follows it. */
function readPair({ contents }: DerValue): [string, DerValue] {
  const [id, value] = readDer(contents)
  if (id === undefined || value === undefined) throw new Error('a value has no name')
  return [readObjectId(id), value]
}

function* alternativeNames({ contents }: DerValue): Generator<number> {
  for (const attribute of readDer(contents)) {
    const [id, values] = readPair(attribute)
    if (id !== extensionRequestId) continue
    for (const extension of readDer(values.contents).flatMap((list) => readDer(list.contents))) {
      const [name, ...rest] = readDer(extension.contents)
      const value = rest.at(-1)
      if (name === undefined || value === undefined || readObjectId(name) !== alternativeNameId) continue
      for (const { contents: names } of readDer(value.contents)) for (const { tag } of readDer(names)) yield tag
    }
  }
}
