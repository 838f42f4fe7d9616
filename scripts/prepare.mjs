// `prepare`, which npm runs before it packs, and after it installed from a git address: the package is what is built.
import { buildIfChanged } from './setup.mjs'

buildIfChanged()
