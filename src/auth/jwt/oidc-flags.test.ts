import { describe, expect, it } from 'vitest'
import { algorithmsOfFlags, authenticatorOfFlags, type OidcFlags } from './oidc-flags.ts'

const flags: OidcFlags = {
  issuerUrl: 'https://issuer',
  clientId: 'app',
  certificateAuthority: '',
  usernameClaim: 'sub',
  usernamePrefix: undefined,
  groupsClaim: undefined,
  groupsPrefix: undefined,
  requiredClaims: [],
}

describe('authenticatorOfFlags', () => {
  it.each<[Partial<OidcFlags>, string]>([
    [{}, 'https://issuer#'],
    [{ usernameClaim: 'email' }, ''],
    [{ usernamePrefix: '-' }, ''],
    [{ usernamePrefix: 'x:' }, 'x:'],
    [{ usernameClaim: 'email', usernamePrefix: 'x:' }, 'x:'],
  ])('prefixes names: %j', (more, prefix) => {
    expect(authenticatorOfFlags({ ...flags, ...more }).claimMappings.username.prefix).toBe(prefix)
  })
  it('takes groups and required claims', () => {
    const config = authenticatorOfFlags({
      ...flags,
      groupsClaim: 'roles',
      groupsPrefix: 'g:',
      requiredClaims: ['a=b=c', 'd'],
    })
    expect(config.issuer.audiences).toEqual(['app'])
    expect(config.claimMappings.groups).toEqual({ claim: 'roles', prefix: 'g:', expression: '' })
    expect(config.claimValidationRules.map(({ claim, requiredValue }) => [claim, requiredValue])).toEqual([
      ['a', 'b=c'],
      ['d', ''],
    ])
  })
})

describe('algorithmsOfFlags', () => {
  it('takes those that are known, and one where none is named', () => {
    expect(algorithmsOfFlags([])).toEqual(['RS256'])
    expect(algorithmsOfFlags(['ES256', 'PS512'])).toEqual(['ES256', 'PS512'])
  })

  it('refuses others', () => {
    expect(() => algorithmsOfFlags(['RS256', 'HS256'])).toThrow('oidc: unsupported signing alg: "HS256"')
  })
})
