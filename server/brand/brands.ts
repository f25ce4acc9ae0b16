/**
 * Reads and checks the brands of organisations: the examples of the product, and the tenant's own in brands/ of the data
 * folder, which override them. An invalid brand stops the start with a list of all problems. Does not know how a screen draws
 * a brand.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { z } from 'zod'
import { AppError, type FieldProblem } from '../errors.ts'
import { readOwnFile, UnsafeFileError } from '../files/own-files.ts'
import { contrastProblems, type BrandColours } from './colours.ts'
import type { BrandView } from './contract.ts'
import { parsePngLogo } from './png-logo.ts'
import { parseSvgLogo, type ParsedLogo } from './svg-logo.ts'

const FILE = 'brand.json'

const colour = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, 'is a colour like #0b5c63')
  .transform((value) => value.toLowerCase())
const BrandFile = z.strictObject({
  name: z.string().trim().min(1).max(60),
  logo: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,80}\.(svg|png)$/,
      'is the name of an .svg or .png file in the same folder',
    ),
  colours: z.strictObject({ action: colour, band: colour }),
  // Fits into two lines in the largest font of the first screen.
  welcome: z.record(z.string(), z.string().trim().min(1).max(90)),
})

/** Problem codes beside those of the schema. Each has a text in every language of the counter (`settings.problem.…`). */
export const BRAND_PROBLEMS = [
  'logo_refused',
  'low_contrast',
  'missing_language',
  'not_json',
  'not_readable',
  'unsafe_file',
] as const

export interface Logo {
  readonly kind: 'svg' | 'png'
  readonly bytes: Buffer
}

export interface Brand {
  readonly view: BrandView
  readonly colours: BrandColours
  readonly logo: Logo
}

export interface BrandFolders {
  readonly shipped: string
  readonly own: string
}

export interface FoundBrand {
  readonly name: string
  readonly folder: string
  readonly isOwn: boolean
}

/** Lists the tenant's own brands first. */
export function listBrands({ shipped, own }: BrandFolders): readonly FoundBrand[] {
  const ofFolder = (folder: string, isOwn: boolean) =>
    existsSync(folder)
      ? readdirSync(folder, { withFileTypes: true })
          .filter((entry) => entry.isDirectory())
          .map(({ name }): FoundBrand => ({ name, folder: join(folder, name), isOwn }))
          .sort((a, b) => a.name.localeCompare(b.name))
      : []
  return [...ofFolder(own, true), ...ofFolder(shipped, false)]
}

/**
 * Throws `configuration_invalid` with every problem.
 * @param name the name in the configuration; undefined: no brand
 * @param languages languages of the kiosk
 */
export function loadBrand(
  folders: BrandFolders,
  name: string | undefined,
  languages: readonly string[],
): Brand | null {
  if (name === undefined) return null
  const there = listBrands(folders)
  const found = there.find((brand) => brand.name === name)
  if (!found) {
    const names = [...new Set(there.map((brand) => brand.name))].join(', ')
    const message = `there is no folder '${name}' in ${folders.own}; take one of ${names}`
    throw refused('config.json', [{ code: 'unknown_brand', field: 'brand', message }])
  }
  const { brand, problems } = checkBrand(found, languages)
  if (!brand) throw refused(`brands/${name}/${FILE}`, problems)
  return brand
}

interface CheckedBrand {
  readonly brand: Brand | null
  readonly problems: readonly FieldProblem[]
}

export function checkBrand({ name, folder, isOwn }: FoundBrand, languages: readonly string[]): CheckedBrand {
  return checkBrandFiles(name, languages, (file, tell) => {
    try {
      const path = join(folder, file)
      // Other users could have changed a file that they may write.
      return isOwn ? readOwnFile(path, 'public') : readFileSync(path)
    } catch (error) {
      if (error instanceof UnsafeFileError) tell('unsafe_file', file, error.message)
      else tell('not_readable', file, 'the file is missing or cannot be read')
      return null
    }
  })
}

/** @param readFile returns null after it has reported the problem */
export function checkBrandFiles(
  name: string,
  languages: readonly string[],
  readFile: (file: string, tell: Tell) => Buffer | null,
): CheckedBrand {
  const problems: FieldProblem[] = []
  const tell: Tell = (code, field, message) =>
    void problems.push({ code, field: `brands/${name}/${field}`, message })
  const read = (file: string): Buffer | null => readFile(file, tell)
  const file = parseBrandFile(read(FILE), tell)
  if (!file) return { brand: null, problems }
  for (const { colour: which, message } of contrastProblems(file.colours))
    tell('low_contrast', `${FILE}:colours.${which}`, message)
  for (const tag of languages.filter((offered) => !Object.hasOwn(file.welcome, offered)))
    tell('missing_language', `${FILE}:welcome.${tag}`, `the screens offer '${tag}': add its sentence`)
  const logo = parseLogo(file.logo, read(file.logo), tell)
  if (!logo || problems.length > 0) return { brand: null, problems }
  const view = { name: file.name, logo: `/brand/logo.${logo.kind}`, welcome: file.welcome }
  return { brand: { view, colours: file.colours, logo }, problems }
}

/** Codes of the schema come from zod. */
type BrandProblem = (typeof BRAND_PROBLEMS)[number] | z.core.$ZodIssue['code']
type Tell = (code: BrandProblem, field: string, message: string) => void

function parseBrandFile(bytes: Buffer | null, tell: Tell): z.infer<typeof BrandFile> | null {
  if (!bytes) return null
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    tell('not_json', FILE, 'the file is not JSON: look for a comma too many or a quotation mark too few')
    return null
  }
  const parsed = BrandFile.safeParse(value)
  if (parsed.success) return parsed.data
  for (const { code, path, message } of parsed.error.issues) {
    const help = 'see resources/brands/README.md for what may stand here'
    tell(code, `${FILE}:${path.join('.')}`, `${message}; ${help}`)
  }
  return null
}

function parseLogo(file: string, bytes: Buffer | null, tell: Tell): Logo | null {
  if (!bytes) return null
  const kind = extname(file) === '.svg' ? 'svg' : 'png'
  const parsed: ParsedLogo = kind === 'svg' ? parseSvgLogo(bytes) : parsePngLogo(bytes)
  for (const message of parsed.problems) tell('logo_refused', file, message)
  return parsed.bytes ? { kind, bytes: parsed.bytes } : null
}

function refused(file: string, problems: readonly FieldProblem[]): AppError {
  return new AppError('configuration_invalid', { file }, { problems })
}
