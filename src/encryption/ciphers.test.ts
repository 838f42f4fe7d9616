import { createCipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { aesCbc, aesGcm, type Cipher, extendedNonceGcm, secretbox } from './ciphers.ts'

const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex')
const key = (size: number, seed = 'a key'): Buffer => createHash('sha512').update(seed).digest().subarray(0, size)
const at = '/registry/secrets/default/one'

const ciphers: Record<string, () => Cipher> = {
  'aescbc 256': () => aesCbc(key(32)),
  'aesgcm 128': () => aesGcm(key(16)),
  'aesgcm 192': () => aesGcm(key(24)),
  'aesgcm 256': () => aesGcm(key(32)),
  secretbox: () => secretbox(key(32)),
  'seed with derived keys': () => extendedNonceGcm(key(32)),
}

describe.each(Object.entries(ciphers))('%s', (name, make) => {
  it('opens what it sealed, and seals differently each time', () => {
    const cipher = make()
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (value, path) => {
        const sealed = cipher.seal(value, path)
        expect(Buffer.from(cipher.open(sealed, path)).equals(value)).toBe(true)
        expect(Buffer.from(cipher.seal(value, path)).equals(sealed)).toBe(false)
      }),
      { numRuns: 50 },
    )
  })

  it('does not take what is too short', () => {
    expect(() => make().open(Buffer.alloc(3), at)).toThrow('the stored data was shorter than the required size')
  })

  if (name !== 'aescbc 256') {
    it('notices every change', () => {
      const cipher = make()
      const sealed = Buffer.from(cipher.seal(Buffer.from('{"kind":"Secret"}'), at))
      fc.assert(
        fc.property(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), (index, by) => {
          const changed = Buffer.from(sealed)
          changed[index] = (changed[index] as number) ^ by
          expect(() => cipher.open(changed, at)).toThrow()
        }),
        { numRuns: 50 },
      )
    })
  }
})

test.each([
  ['aesgcm', aesGcm(key(32)), aesGcm(key(32, 'another')), 'cipher: message authentication failed'],
  ['secretbox', secretbox(key(32)), secretbox(key(32, 'another')), 'output array was not large enough for encryption'],
  ['seed', extendedNonceGcm(key(32)), extendedNonceGcm(key(32, 'another')), 'cipher: message authentication failed'],
])('%s says what the reference says of another key', (_, one, other, message) => {
  expect(() => other.open(one.seal(Buffer.from('text'), at), at)).toThrow(message)
})

test('what is bound to a key of the store does not open under another', () => {
  for (const cipher of [aesGcm(key(32)), extendedNonceGcm(key(32))]) {
    expect(() => cipher.open(cipher.seal(Buffer.from('text'), at), `${at}2`)).toThrow(
      'cipher: message authentication failed',
    )
  }
})

describe('what CBC finds wrong', () => {
  const sealed = (plain: Buffer): Buffer => {
    const cipher = createCipheriv('aes-256-cbc', key(32), Buffer.alloc(16)).setAutoPadding(false)
    return Buffer.concat([Buffer.alloc(16), cipher.update(plain), cipher.final()])
  }
  test.each([
    ['half a block', Buffer.alloc(24), 'the stored data is not a multiple of the block size'],
    ['no block', Buffer.alloc(16), 'invalid PKCS7 data (empty or not padded)'],
    ['a padding of nothing', sealed(Buffer.alloc(16)), 'invalid PKCS7 data (empty or not padded)'],
    ['more padding than there is', sealed(Buffer.alloc(16, 17)), 'invalid PKCS7 data (empty or not padded)'],
    ['a padding that differs', sealed(Buffer.from('aaaaaaaaaaaaaaa\x02')), 'invalid padding on input'],
  ])('%s', (_, value, message) => {
    expect(() => aesCbc(key(32)).open(value, at)).toThrow(message)
  })
})

describe('published vectors', () => {
  test('AES-256-CBC of SP 800-38A, F.2.6, with a block of padding', () => {
    const secret = hex('603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4')
    const iv = hex('000102030405060708090a0b0c0d0e0f')
    const plain = hex('6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51')
    const published = hex('f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d')
    const cipher = createCipheriv('aes-256-cbc', secret, iv)
    const sealed = Buffer.concat([iv, cipher.update(plain), cipher.final()])
    expect(sealed.subarray(16, 48)).toEqual(published)
    expect(Buffer.from(aesCbc(secret).open(sealed, at))).toEqual(plain)
  })

  test('AES-128-GCM of the GCM specification, test case 4', () => {
    const secret = hex('feffe9928665731c6d6a8f9467308308')
    const nonce = hex('cafebabefacedbaddecaf888')
    const plain = hex(
      'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
    )
    const sealed = hex(
      '42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091',
    )
    const tag = hex('5bc94fbc3221a5db94fae95ae7121a47')
    // The vector's additional data are bytes that a key of the store cannot have; Latin-1 carries them through.
    const additional = hex('feedfacedeadbeeffeedfacedeadbeefabaddad2')
    const whole = Buffer.concat([nonce, sealed, tag])
    expect(() => aesGcm(secret).open(whole, at)).toThrow('cipher: message authentication failed')
    const cipher = createCipheriv('aes-128-gcm', secret, nonce).setAAD(additional)
    expect(Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])).toEqual(
      Buffer.concat([sealed, tag]),
    )
  })

  test('AES-256-GCM of the GCM specification, test case 14: no additional data', () => {
    const sealed = hex('000000000000000000000000 cea7403d4d606b6e074ec5d3baf39d18 d0d1c8a799996bf0265b98b5d48ab919')
    expect(Buffer.from(aesGcm(Buffer.alloc(32)).open(sealed, ''))).toEqual(Buffer.alloc(16))
  })

  test('secretbox of NaCl', () => {
    const secret = hex('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389')
    const nonce = hex('69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37')
    const plain = hex(`be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffc
      e5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb31
      0e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde
      048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f93776384864 5e0705`)
    const sealed = hex(`f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce
      48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c972
      71d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae
      90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b3
      7973f622a43d14a6599b1f654cb45a74e355a5`)
    expect(Buffer.from(secretbox(secret).open(Buffer.concat([nonce, sealed]), at))).toEqual(plain)
  })
})

test('keys are derived from a seed by the expanding half of HKDF', () => {
  // Extraction with an empty salt gives the pseudorandom key that expansion begins with: two ways to the same key.
  const material = randomBytes(32)
  const info = randomBytes(32)
  const derived = Buffer.from(hkdfSync('sha256', material, Buffer.alloc(0), info, 32))
  const seed = createHmacOf(Buffer.alloc(32), material)
  const sealed = Buffer.concat([info, aesGcm(derived).seal(Buffer.from('text'), at)])
  expect(Buffer.from(extendedNonceGcm(seed).open(sealed, at)).toString()).toBe('text')
})

function createHmacOf(salt: Buffer, material: Buffer): Buffer {
  const block = Buffer.alloc(64)
  salt.copy(block)
  const pad = (byte: number): Buffer => Buffer.from(block.map((value) => value ^ byte))
  const inner = createHash('sha256').update(pad(0x36)).update(material).digest()
  return createHash('sha256').update(pad(0x5c)).update(inner).digest()
}

test('a seed must be long enough', () => {
  expect(() => extendedNonceGcm(Buffer.alloc(31))).toThrow('invalid seed length 31 used for key generation')
})
