// A KMS plugin as operators run one: a process of its own that answers version 1 and version 2 on a unix socket.
//   node kms-plugin.mjs SOCKET
// Lines of JSON on its input change what it does: {"keyId":"2"}, {"healthz":"broken"}. It prints a line when it is ready
// and after each change. Its messages come from the text of their definitions, not from the server's own code.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import grpc from '@grpc/grpc-js'
import protobuf from 'protobufjs'

const definitions = {
  v1beta1: `syntax = "proto3"; package v1beta1;
    message VersionRequest { string version = 1; }
    message VersionResponse { string version = 1; string runtime_name = 2; string runtime_version = 3; }
    message DecryptRequest { string version = 1; bytes cipher = 2; }
    message DecryptResponse { bytes plain = 1; }
    message EncryptRequest { string version = 1; bytes plain = 2; }
    message EncryptResponse { bytes cipher = 1; }`,
  v2: `syntax = "proto3"; package v2;
    message StatusRequest {}
    message StatusResponse { string version = 1; string healthz = 2; string key_id = 3; }
    message DecryptRequest { bytes ciphertext = 1; string uid = 2; string key_id = 3; map<string, bytes> annotations = 4; }
    message DecryptResponse { bytes plaintext = 1; }
    message EncryptRequest { bytes plaintext = 1; string uid = 2; }
    message EncryptResponse { bytes ciphertext = 1; string key_id = 2; map<string, bytes> annotations = 3; }`,
}

const state = { keyId: '1', healthz: 'ok' }

const keyOf = (id) => createHash('sha256').update(`the key ${id}`).digest()

function encrypt(id, plain) {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyOf(id), nonce)
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

function decrypt(id, sealed) {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(id), sealed.subarray(0, 12))
  decipher.setAuthTag(sealed.subarray(-16))
  return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()])
}

function service(version, handlers) {
  const { root } = protobuf.parse(definitions[version], { keepCase: true })
  const methods = {}
  const implementations = {}
  for (const [name, handle] of Object.entries(handlers)) {
    const request = root.lookupType(`${version}.${name}Request`)
    const response = root.lookupType(`${version}.${name}Response`)
    methods[name] = {
      path: `/${version}.KeyManagementService/${name}`,
      requestStream: false,
      responseStream: false,
      requestSerialize: (value) => Buffer.from(request.encode(value).finish()),
      requestDeserialize: (bytes) => request.decode(bytes),
      responseSerialize: (value) => Buffer.from(response.encode(value).finish()),
      responseDeserialize: (bytes) => response.decode(bytes),
    }
    implementations[name] = (call, done) => {
      try {
        done(null, response.create(handle(call.request)))
      } catch (error) {
        done({ code: grpc.status.INTERNAL, details: error.message })
      }
    }
  }
  return [methods, implementations]
}

const note = Buffer.from('as given')
const server = new grpc.Server()
server.addService(
  ...service('v1beta1', {
    Version: () => ({ version: 'v1beta1', runtime_name: 'test', runtime_version: '1.0.0' }),
    Encrypt: ({ plain }) => ({ cipher: encrypt('v1', plain) }),
    Decrypt: ({ cipher }) => ({ plain: decrypt('v1', Buffer.from(cipher)) }),
  }),
)
server.addService(
  ...service('v2', {
    Status: () => ({ version: 'v2', healthz: state.healthz, key_id: state.keyId }),
    Encrypt: ({ plaintext }) => ({
      ciphertext: encrypt(state.keyId, plaintext),
      key_id: state.keyId,
      annotations: { 'note.example.com': note },
    }),
    Decrypt: ({ ciphertext, key_id: keyId, annotations }) => {
      if (!note.equals(annotations['note.example.com']))
        throw new Error('the annotations are not those that were given')
      return { plaintext: decrypt(keyId, Buffer.from(ciphertext)) }
    },
  }),
)
server.bindAsync(`unix:${process.argv[2].replace(/^@/, '\0')}`, grpc.ServerCredentials.createInsecure(), (error) => {
  if (error) throw error
  console.log('ready')
})
createInterface({ input: process.stdin })
  .on('line', (line) => {
    Object.assign(state, JSON.parse(line))
    console.log('changed')
  })
  .on('close', () => process.exit())
