// `prepare`, which npm runs before it packs, and after it installed from a git address: the package is what is built.
import process from 'node:process'
import { buildIfChanged, installing } from './setup.mjs'

// Within `setup`, which builds when it has installed.
if (process.env[installing] === undefined) buildIfChanged()
