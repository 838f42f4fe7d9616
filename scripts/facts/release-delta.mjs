// The facts of another release as their difference from those of facts/, by lines: facts/releases/1.N.delta. The form is
// described in src/api/release-facts.ts, which reads it.

/** `base` and `made`: from file names to texts. Files that are equal are left out. */
export function releaseDelta(base, made, release) {
  const names = [...new Set([...base.keys(), ...made.keys()])].sort()
  const sections = names.flatMap((name) => {
    const after = made.get(name)
    if (after === undefined) return [`=${name} gone\n`]
    const hunks = lineHunks(linesOf(base.get(name) ?? ''), linesOf(after))
    return hunks.length === 0 ? [] : [`=${name}\n${hunks.map(hunkText).join('')}`]
  })
  return `${release}\n${sections.join('')}`
}

const linesOf = (text) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

const hunkText = ({ at, gone, come }) =>
  [`@${at + 1}`, ...gone.map((line) => `-${line}`), ...come.map((line) => `+${line}`)]
    .map((line) => `${line}\n`)
    .join('')

/** Where `before` must change to become `after`: at line `at` the lines `gone` give way to `come`. */
function lineHunks(before, after) {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end++
  }
  const a = before.slice(start, before.length - end)
  const b = after.slice(start, after.length - end)
  const common = longestCommon(a, b)
  const hunks = []
  let open
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j] && common(i, j) === common(i + 1, j + 1) + 1) {
      open = undefined
      i++
      j++
      continue
    }
    if (open === undefined) {
      open = { at: start + i, gone: [], come: [] }
      hunks.push(open)
    }
    if (j < b.length && (i === a.length || common(i, j + 1) >= common(i + 1, j))) open.come.push(b[j++])
    else open.gone.push(a[i++])
  }
  return hunks
}

/** The length of the longest common subsequence of what follows `i` in `a` and `j` in `b`. */
function longestCommon(a, b) {
  const width = b.length + 1
  const lengths = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengths[(i + 1) * width + j + 1] + 1
          : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1])
    }
  }
  return (i, j) => lengths[i * width + j]
}
