/** The program as it was at an earlier commit, for upgrades: the newest release, or where there is none some commits ago. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'

const commitsAgo = 60
const builds = path.resolve('node_modules/.cache/older-builds')

/** Returns the path of the program; undefined, having said why, where the history is not there. */
export function olderBuild(log: (line: string) => void): string | undefined {
  const revision = olderRevision()
  if (revision === undefined) {
    log('NOT TESTED: upgrades, because there is no earlier commit to build (a clone without history)')
    return undefined
  }
  const folder = path.join(builds, revision)
  if (!existsSync(folder)) build(revision, folder)
  log(`the older build is of commit ${revision.slice(0, 12)}`)
  return path.join(folder, 'dist', 'cli.js')
}

function olderRevision(): string | undefined {
  return git('describe', '--tags', '--abbrev=0', 'HEAD^') ?? git('rev-parse', '--verify', `HEAD~${commitsAgo}`)
}

function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

function build(revision: string, folder: string): void {
  const draft = `${folder}.${process.pid}`
  mkdirSync(draft, { recursive: true })
  try {
    const archive = execFileSync('git', ['archive', revision], { maxBuffer: 2 ** 30 })
    execFileSync('tar', ['-x', '-C', draft], { input: archive })
    symlinkSync(path.resolve('node_modules'), path.join(draft, 'node_modules'))
    execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: draft, stdio: 'pipe' })
    if (!existsSync(folder)) renameSync(draft, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}
