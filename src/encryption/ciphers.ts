/**
 * The ciphers of encryption at rest, byte by byte as the reference lays them out: a fresh random nonce in front of what
 * is sealed. Texts of errors are the reference's; no key, and nothing of a value, is ever in them.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'

export interface Cipher {
  seal(value: Uint8Array, authenticated: string): Uint8Array
  /** Throws when the value was not sealed with this key. */
  open(value: Uint8Array, authenticated: string): Uint8Array
}

const blockSize = 16
const gcmNonceSize = 12
const gcmTagSize = 16
const secretboxNonceSize = 24
const secretboxOverhead = 16
const infoSize = 32

const tooShort = (): Error => new Error('the stored data was shorter than the required size')

/** AES-CBC with PKCS#7: it hides, but does not notice every change. The key of the store plays no part. */
export function aesCbc(key: Uint8Array): Cipher {
  const algorithm = `aes-${key.length * 8}-cbc`
  return {
    seal(value) {
      const iv = randomBytes(blockSize)
      const cipher = createCipheriv(algorithm, key, iv)
      return Buffer.concat([iv, cipher.update(value), cipher.final()])
    },
    open(value) {
      if (value.length < blockSize) throw tooShort()
      const sealed = value.subarray(blockSize)
      if (sealed.length % blockSize !== 0) throw new Error('the stored data is not a multiple of the block size')
      const decipher = createDecipheriv(algorithm, key, value.subarray(0, blockSize)).setAutoPadding(false)
      return withoutPadding(Buffer.concat([decipher.update(sealed), decipher.final()]))
    },
  }
}

/** The reference takes a padding of any length, as long as all of it says the same. */
function withoutPadding(padded: Buffer): Buffer {
  const size = padded.at(-1) ?? 0
  if (size === 0 || size > padded.length) throw new Error('invalid PKCS7 data (empty or not padded)')
  const end = padded.length - size
  for (let i = end; i < padded.length; i++) {
    if (padded[i] !== size) throw new Error('invalid padding on input')
  }
  return padded.subarray(0, end)
}

/** AES-GCM with a random nonce. */
export function aesGcm(key: Uint8Array): Cipher {
  const algorithm = `aes-${key.length * 8}-gcm` as 'aes-256-gcm'
  return {
    seal(value, authenticated) {
      const nonce = randomBytes(gcmNonceSize)
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(authenticated, 'utf8'))
      return Buffer.concat([nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()])
    },
    open(value, authenticated) {
      if (value.length < gcmNonceSize) throw tooShort()
      const end = value.length - gcmTagSize
      if (end < gcmNonceSize) throw notAuthentic()
      const decipher = createDecipheriv(algorithm, key, value.subarray(0, gcmNonceSize))
      decipher.setAAD(Buffer.from(authenticated, 'utf8')).setAuthTag(value.subarray(end))
      const opened = decipher.update(value.subarray(gcmNonceSize, end))
      try {
        decipher.final()
      } catch {
        throw notAuthentic()
      }
      return opened
    },
  }
}

const notAuthentic = (): Error => new Error('cipher: message authentication failed')

/** XSalsa20 and Poly1305. The key of the store plays no part. */
export function secretbox(key: Uint8Array): Cipher {
  return {
    seal(value) {
      const nonce = randomBytes(secretboxNonceSize)
      return Buffer.concat([nonce, xsalsa20poly1305(key, nonce).encrypt(value)])
    },
    open(value) {
      if (value.length < secretboxNonceSize + secretboxOverhead) throw tooShort()
      try {
        const sealed = value.subarray(secretboxNonceSize)
        return xsalsa20poly1305(key, value.subarray(0, secretboxNonceSize)).decrypt(sealed)
      } catch {
        // What the reference says when authentication fails.
        throw new Error('output array was not large enough for encryption')
      }
    },
  }
}

export const seedSize = 32

/**
 * AES-GCM with a key of its own for every value: derived from a seed and random bytes, which stand in front of the rest.
 * The seed can be used for ever.
 */
export function extendedNonceGcm(seed: Uint8Array): Cipher {
  if (seed.length < seedSize) throw new Error(`invalid seed length ${seed.length} used for key generation`)
  return {
    seal(value, authenticated) {
      const info = randomBytes(infoSize)
      return Buffer.concat([info, aesGcm(derivedKey(seed, info)).seal(value, authenticated)])
    },
    open(value, authenticated) {
      if (value.length < infoSize) throw tooShort()
      return aesGcm(derivedKey(seed, value.subarray(0, infoSize))).open(value.subarray(infoSize), authenticated)
    },
  }
}

/** The expanding half of HKDF with SHA-256, whose first block is all that a key takes. */
function derivedKey(seed: Uint8Array, info: Uint8Array): Buffer {
  return createHmac('sha256', seed).update(info).update(Uint8Array.of(1)).digest()
}
