/**
 * A disk of a few megabytes for an ordinary user: a tmpfs in a mount namespace of its own (`unshare`), which lives as long as
 * the process that made it. What is to see the disk runs through `wrapper`; the rest of the machine sees its files under
 * `outside`. Where user namespaces are not allowed, a superuser still may; otherwise there is none.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { until } from './until.ts'

const inNamespace = ['--user', '--map-root-user', '--mount']

/** True when tests that need a small disk can run. Otherwise it says so loudly. */
export function hasSmallDisk(what: string): boolean {
  const script = 'mount -t tmpfs -o size=1m none "$0"'
  const isThere = spawnSync('unshare', [...inNamespace, 'sh', '-c', script, tmpdir()]).status === 0
  if (!isThere) console.warn(`\n!!! NOT TESTED: ${what}, because user namespaces are not allowed here\n`)
  return isThere
}

export class SmallDisk {
  /** Where the disk is for those who see it. */
  readonly folder: string
  /** Goes before a command that is to see it. */
  readonly wrapper: readonly string[]
  readonly #holder: ChildProcess

  private constructor(folder: string, holder: ChildProcess) {
    this.folder = folder
    this.#holder = holder
    this.wrapper = ['nsenter', '--preserve-credentials', '--user', '--mount', `--target=${holder.pid}`, '--']
  }

  static async mount(megabytes: number): Promise<SmallDisk> {
    const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-disk-'))
    const script = `mount -t tmpfs -o size=${megabytes}m,mode=700 none "$0" && exec sleep infinity`
    const holder = spawn('unshare', [...inNamespace, 'sh', '-c', script, folder], { stdio: 'ignore' })
    const disk = new SmallDisk(folder, holder)
    await until('the small disk', async () => {
      if (holder.exitCode !== null) throw new Error('the small disk cannot be mounted')
      return disk.#isMounted(megabytes)
    })
    return disk
  }

  /** The same folder for those who do not see the disk. */
  get outside(): string {
    return `/proc/${this.#holder.pid}/root${this.folder}`
  }

  #isMounted(megabytes: number): boolean {
    try {
      const { blocks, bsize } = statfsSync(this.outside)
      return blocks * bsize === megabytes * 1024 * 1024
    } catch {
      return false
    }
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.outside)
    return bavail * bsize
  }

  /** Fills the disk until so many bytes are free, or makes room until they are. */
  leave(bytes: number): void {
    const filler = path.join(this.outside, 'filler')
    writeFileSync(filler, '')
    const size = Math.max(0, this.freeBytes - bytes)
    for (let left = size; left > 0; left -= chunk.length) {
      try {
        writeFileSync(filler, chunk.subarray(0, Math.min(left, chunk.length)), { flag: 'a' })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        return
      }
    }
  }

  /** Removes what `leave` wrote. */
  empty(): void {
    truncateSync(path.join(this.outside, 'filler'), 0)
  }

  close(): void {
    this.#holder.kill('SIGKILL')
    rmSync(this.folder, { recursive: true, force: true })
  }
}

const chunk = Buffer.alloc(1024 * 1024)
