/** What `/version` reports: the API release that is served, and the program that serves it. */
import { arch, platform } from 'node:process'
import { releaseTag } from '../api/release-facts.ts'
import type { MinorVersion } from './emulated-version.ts'
import type { ServerOptions } from './server-options.ts'

/** The version of this program, as in package.json. */
export const programVersion = '0.1.0'

export type VersionInfo = Readonly<Record<string, string>>

export function versionInfo({ version, flags }: Pick<ServerOptions, 'version' | 'flags'>): VersionInfo {
  const { emulation, minCompatibility } = version
  const reported = flags.string('version')
  return {
    major: String(emulation.major),
    minor: String(emulation.minor),
    ...numbered('emulation', emulation),
    ...numbered('minCompatibility', minCompatibility),
    gitVersion: reported.startsWith('v') ? reported : `${releaseTag(emulation.minor)}+pilothouse-${programVersion}`,
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
