/**
 * Reads what webhooks answer: JSON if it begins like an object, else YAML. What an answer does not name is of the type
 * that was sent; another type is refused. Mirrors runtime/serializer: the codec of client-go's REST client.
 */
import { schemePositions } from '../api/golang/positions.ts'
import { parseGroupVersion } from '../api/group-version.ts'
import type { JsonObject } from '../api/json.ts'
import { typeSchema } from '../catalog/catalog.ts'
import { reasonOf } from '../lib/fault.ts'
import { encodeJson, JsonDocument } from './json.ts'
import { decodeYaml } from './yaml.ts'

interface ReviewType {
  readonly group: string
  readonly versions: readonly string[]
  /** Of all versions, as far as answers go; the first one's. */
  readonly schema: string
  /** Types that every version has of its own, by which errors name them. */
  readonly ownTypes: RegExp
  /** Other kinds that are registered at the same place, by their `apiVersion`. */
  readonly others?: Readonly<Record<string, readonly string[]>>
  /** How the reference's errors call the place where its types are registered. */
  readonly scheme: string
}

const { webhook: webhookScheme, client: clientScheme } = schemePositions
const reviewTypes: Readonly<Record<string, ReviewType>> = {
  AdmissionReview: {
    group: 'admission.k8s.io',
    versions: ['v1', 'v1beta1'],
    schema: 'admission.v1.AdmissionReview',
    ownTypes: /^(?:AdmissionRe\w+|PatchType|Operation)$/,
    scheme: webhookScheme,
  },
  ConversionReview: {
    group: 'apiextensions.k8s.io',
    versions: ['v1', 'v1beta1'],
    schema: 'apiextensions.v1.ConversionReview',
    ownTypes: /^(?:ConversionRe\w+)$/,
    others: {
      'apiextensions.k8s.io/v1': ['CustomResourceDefinition', 'CustomResourceDefinitionList'],
      'apiextensions.k8s.io/v1beta1': ['CustomResourceDefinition', 'CustomResourceDefinitionList'],
      v1: ['Status'],
    },
    scheme: webhookScheme,
  },
  TokenReview: {
    group: 'authentication.k8s.io',
    versions: ['v1', 'v1beta1'],
    schema: 'authentication.v1.TokenReview',
    ownTypes: /^(?:TokenReview\w*|UserInfo|ExtraValue)$/,
    scheme: clientScheme,
  },
  SubjectAccessReview: {
    group: 'authorization.k8s.io',
    versions: ['v1', 'v1beta1'],
    schema: 'authorization.v1.SubjectAccessReview',
    ownTypes: /^(?:SubjectAccessReview\w*|\w+Attributes|ExtraValue)$/,
    scheme: clientScheme,
  },
  ImageReview: {
    group: 'imagepolicy.k8s.io',
    versions: ['v1alpha1'],
    schema: 'imagepolicy.v1alpha1.ImageReview',
    ownTypes: /^(?:ImageReview\w*)$/,
    scheme: clientScheme,
  },
}

/** The answer to a review. Throws an Error in the reference's words. */
export function readReview(body: Buffer, sent: JsonObject): JsonObject {
  const kind = String(sent['kind'])
  const type = reviewTypes[kind]
  if (type === undefined) throw new Error(`nothing is known about answers to ${kind}`)
  const isJson = /^\s*\{/.test(body.subarray(0, 1024).toString('latin1'))
  const bytes = isJson ? body : Buffer.from(encodeJson(decodeYaml(body).value ?? {}))
  const document = withPrefix(() => new JsonDocument(bytes))
  const meta = withPrefix(() => document.typeMeta())
  const wanted = { kind, apiVersion: String(sent['apiVersion']) }
  const given = { kind: meta.kind || kind, apiVersion: meta.apiVersion || wanted.apiVersion }
  const conversion = conversionProblem(given, wanted, type)
  // An answer of another version is decoded as what it is, before it cannot be converted.
  if (conversion === undefined || given.kind === kind) {
    const decoded = decodeAs(document, type, given.apiVersion)
    if (conversion === undefined) return decoded
  }
  throw new Error(conversion)
}

function decodeAs(document: JsonDocument, type: ReviewType, apiVersion: string): JsonObject {
  try {
    return document.decode(typeSchema(type.schema)).object
  } catch (error) {
    throw new Error(inVersion(reasonOf(error), type, apiVersion))
  }
}

/** Types are named by their version, which is that of the review. */
function inVersion(why: string, { ownTypes, versions }: ReviewType, apiVersion: string): string {
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1)
  return why.replace(/\b(of type )(\w+)\.(\w+)$/, (whole, of: string, from: string, name: string) =>
    from === versions[0] && ownTypes.test(name) ? `${of}${version}.${name}` : whole,
  )
}

function withPrefix<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${reasonOf(error)}`)
  }
}

interface TypeMeta {
  readonly apiVersion: string
  readonly kind: string
}

/** Throws for a type that is not registered. Undefined for the type that was sent. */
function conversionProblem({ apiVersion, kind }: TypeMeta, sent: TypeMeta, type: ReviewType): string | undefined {
  const { group, versions, scheme, others } = type
  if (apiVersion === sent.apiVersion && kind === sent.kind) return undefined
  if (parseGroupVersion(apiVersion) === undefined) throw new Error(`unexpected GroupVersion string: ${apiVersion}`)
  const isSame = kind === sent.kind && versions.some((version) => apiVersion === `${group}/${version}`)
  if (isSame || others?.[apiVersion]?.includes(kind) === true) {
    const [other, version] = [apiVersion, sent.apiVersion].map((each) => each.slice(each.indexOf('/') + 1))
    return `converting (${other}.${kind}) to (${version}.${sent.kind}): unknown conversion`
  }
  throw new Error(
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme ${JSON.stringify(scheme)}`,
  )
}
