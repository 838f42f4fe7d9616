/** What `/version` tells: the API release that is served, and the program that serves it. */
import { arch, platform } from 'node:process'
import type { EffectiveVersion, MinorVersion } from '../config/emulated-version.ts'

/** The release of the reference whose behaviour is served. */
const release = 'v1.33.13'

/** The version of this program, as in package.json. */
export const programVersion = '0.1.0'

export type VersionInfo = Readonly<Record<string, string>>

export function versionInfo({ binary, emulation, minCompatibility }: EffectiveVersion): VersionInfo {
  return {
    major: String(binary.major),
    minor: String(binary.minor),
    ...numbered('emulation', emulation),
    ...numbered('minCompatibility', minCompatibility),
    gitVersion: `${release}+pilothouse-${programVersion}`,
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: `node-${process.version}`,
    compiler: 'v8',
    platform: `${platform}/${arch === 'x64' ? 'amd64' : arch}`,
  }
}

const numbered = (name: string, { major, minor }: MinorVersion): VersionInfo => ({
  [`${name}Major`]: String(major),
  [`${name}Minor`]: String(minor),
})
