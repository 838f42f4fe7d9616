/**
 * A signer of service account tokens as operators run one: gRPC on a unix socket. Its messages come from the text of
 * their definition, not from the server's own code.
 */
import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import grpc from '@grpc/grpc-js'
import protobuf from 'protobufjs'

const definition = `syntax = "proto3"; package v1alpha1;
  message Timestamp { int64 seconds = 1; int32 nanos = 2; }
  message SignRequest { string claims = 1; }
  message SignResponse { string header = 1; string signature = 2; }
  message FetchKeysRequest {}
  message Key { string key_id = 1; bytes key = 2; bool exclude_from_oidc_discovery = 3; }
  message FetchKeysResponse { repeated Key keys = 1; Timestamp data_timestamp = 2; int64 refresh_hint_seconds = 3; }
  message MetadataRequest {}
  message MetadataResponse { int64 max_token_expiration_seconds = 1; }`

interface SignerKey {
  readonly id: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  readonly excluded?: boolean
}

export const signerKey = (id: string): SignerKey => ({ id, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) })

export class TokenSignerProcess {
  /** May be changed while it runs. */
  keys: SignerKey[]
  /** The first of the keys unless told. */
  signsWith: SignerKey | undefined
  header: object | undefined
  refreshHintSeconds = 3600
  maxTokenExpirationSeconds = 7200
  failure: string | undefined
  readonly calls: string[] = []
  readonly #server = new grpc.Server()

  constructor(...keys: SignerKey[]) {
    this.keys = keys
    this.#server.addService(
      ...service({
        Sign: ({ claims = '' }) => this.#sign(claims),
        FetchKeys: () => ({
          keys: this.keys.map(({ id, publicKey, excluded = false }) => ({
            key_id: id,
            key: publicKey.export({ type: 'spki', format: 'der' }),
            exclude_from_oidc_discovery: excluded,
          })),
          data_timestamp: { seconds: 1_700_000_000, nanos: 500_000_000 },
          refresh_hint_seconds: this.refreshHintSeconds,
        }),
        Metadata: () => ({ max_token_expiration_seconds: this.maxTokenExpirationSeconds }),
      }),
    )
    const { calls } = this
    function service(
      handlers: Record<string, (request: { readonly claims?: string }) => object>,
    ): [grpc.ServiceDefinition, Implementation] {
      return serviceOf(handlers, (name) => calls.push(name))
    }
  }

  /** `/path`, or `@name` in the abstract name space. */
  async listen(endpoint: string): Promise<void> {
    const target = endpoint.startsWith('@') ? `unix:\0${endpoint.slice(1)}` : `unix:${endpoint}`
    await new Promise<void>((resolve, reject) => {
      this.#server.bindAsync(target, grpc.ServerCredentials.createInsecure(), (error) => {
        if (error === null) resolve()
        else reject(error)
      })
    })
  }

  close(): void {
    this.#server.forceShutdown()
  }

  #sign(claims: string): object {
    if (this.failure !== undefined) throw new Error(this.failure)
    const key = this.signsWith ?? this.keys[0]
    if (key === undefined) throw new Error('no key')
    const header = Buffer.from(JSON.stringify(this.header ?? { alg: 'ES256', kid: key.id, typ: 'JWT' })).toString(
      'base64url',
    )
    const signing = { key: key.privateKey, dsaEncoding: 'ieee-p1363' as const }
    return { header, signature: createSign('sha256').update(`${header}.${claims}`).sign(signing).toString('base64url') }
  }
}

type Implementation = grpc.UntypedServiceImplementation

function serviceOf(
  handlers: Record<string, (request: { readonly claims?: string }) => object>,
  onCall: (name: string) => void,
): [grpc.ServiceDefinition, Implementation] {
  const { root } = protobuf.parse(definition, { keepCase: true })
  const methods: Record<string, grpc.MethodDefinition<unknown, unknown>> = {}
  const implementation: Implementation = {}
  for (const [name, handle] of Object.entries(handlers)) {
    const request = root.lookupType(`v1alpha1.${name}Request`)
    const response = root.lookupType(`v1alpha1.${name}Response`)
    methods[name] = {
      path: `/v1alpha1.ExternalJWTSigner/${name}`,
      requestStream: false,
      responseStream: false,
      requestSerialize: (value) => Buffer.from(request.encode(value as object).finish()),
      requestDeserialize: (bytes) => request.decode(bytes),
      responseSerialize: (value) => Buffer.from(response.encode(value as object).finish()),
      responseDeserialize: (bytes) => response.decode(bytes),
    }
    implementation[name] = (call: { request: object }, done: grpc.sendUnaryData<unknown>) => {
      onCall(name)
      try {
        done(null, response.fromObject(handle(call.request)))
      } catch (error) {
        done({ code: grpc.status.INTERNAL, details: (error as Error).message })
      }
    }
  }
  return [methods, implementation]
}
