/**
 * Writes the licence notices and the SBOM (CycloneDX) of the Debian package from what its tree really holds. `npm sbom` lists what
 * the lockfile wants instead: also tools that the package leaves out, and neither models, fonts nor Node.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { canonicalJson, type JsonObject } from '../../proof/verify/canonical-json.ts'
import { writeFileWhole } from '../../files/write-file.ts'
import { readManifest } from '../../vision/manifest.ts'
import { BUNDLED_PARTS } from './bundled-parts.ts'

const PackageFile = z.object({
  name: z.string(),
  version: z.string(),
  license: z.union([z.string(), z.object({ type: z.string() })]).optional(),
  author: z.union([z.string(), z.object({ name: z.string() })]).optional(),
})

interface BundledPackage {
  readonly name: string
  readonly version: string
  readonly licence: string
  readonly author: string
  /** The notices that came with it, or its author's name if none did. */
  readonly notice: string
}

/** `sources`: the complete node_modules, because the tree lacks the README files, some of which hold the only notice. */
export function readPackages(tree: string, sources: string): readonly BundledPackage[] {
  const files = globSync('**/package.json', { cwd: join(tree, 'node_modules') })
    .filter((path) => isPackageFolder(dirname(path)))
    .sort()
  const packages = files.flatMap((path) => {
    const parsed = PackageFile.safeParse(JSON.parse(readFileSync(join(tree, 'node_modules', path), 'utf8')))
    if (!parsed.success) throw new TypeError(`${path} has no name or version`)
    const { name, version, license, author } = parsed.data
    const licence = typeof license === 'string' ? license : (license?.type ?? 'NOASSERTION')
    const holder = typeof author === 'string' ? author : (author?.name ?? `the authors of ${name}`)
    const notice = readNotice(join(sources, dirname(path))) ?? `Copyright: ${holder}`
    return [{ name, version, licence, author: holder, notice }]
  })
  return [...new Map(packages.map((found) => [`${found.name}@${found.version}`, found])).values()]
}

/** Some packages have further package.json files, which only name the format of their modules. */
function isPackageFolder(folder: string): boolean {
  return /(?:^|\/node_modules\/)(?:@[^/]+\/)?[^/@]+$/.test(folder) && !/^@[^/]+$/.test(folder)
}

function readNotice(folder: string): string | undefined {
  const names = readdirSync(folder).sort()
  const texts = names
    .filter((name) => /^(licen[cs]e|copying|notice|unlicense|ofl|third-?party)/i.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8').trim())
  if (texts.length > 0) return texts.join('\n\n')
  const readme = names.find((name) => /^readme/i.test(name))
  const text = readme === undefined ? '' : readFileSync(join(folder, readme), 'utf8')
  return /^#+ *licen[cs](?:e|ing)[\s\S]*/im.exec(text)?.[0].trim()
}

/** The file `copyright` of the package: each notice once, below the names that it is of. */
export function writeCopyright(packages: readonly BundledPackage[], ownLicence: string): string {
  const byNotice = Map.groupBy(packages, ({ notice, licence }) => `${licence}\n${notice}`)
  const sections = [...byNotice.values()].map((group) => {
    const names = group.map(({ name, version }) => `${name} ${version}`).join('\n')
    return `${names}\nLicence: ${group[0]?.licence}\n\n${group[0]?.notice}`
  })
  const parts = BUNDLED_PARTS.map(
    ({ name, licence, inside, origin }) => `${name} (in ${inside})\nLicence: ${licence}\n${origin}`,
  )
  const models = readManifest().models.map(
    ({ id, version, licence, origin }) => `model ${id} ${version}\nLicence: ${licence}\n${origin}`,
  )
  const line = `\n\n${'='.repeat(100)}\n\n`
  return [
    `Counterproof\nLicence: Apache-2.0\n\n${ownLicence.trim()}`,
    'Texts of Apache-2.0, LGPL-3 and GPL-3: /usr/share/common-licenses. The LGPL libraries are files of their own below\n' +
      '/usr/lib/counterproof/node_modules: replace these files to use a changed build.',
    ...parts,
    ...models,
    ...sections,
  ]
    .join(line)
    .concat('\n')
}

interface Product {
  readonly version: string
  readonly architecture: string
  /** The time of the commit, so that two builds of one commit are the same. */
  readonly createdAt: string
}

/** CycloneDX 1.5. Its serial number is derived from its content. */
export function writeSbom(packages: readonly BundledPackage[], product: Product): string {
  const components: JsonObject[] = [
    ...packages.map(({ name, version, licence }) => {
      const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
      return { type: 'library', 'bom-ref': purl, name, version, purl, licenses: describeLicence(licence) }
    }),
    ...BUNDLED_PARTS.map(({ name, kind, licence, inside, origin }) => ({
      type: kind,
      'bom-ref': `bundled:${inside}:${name}`,
      name,
      licenses: describeLicence(licence),
      properties: [
        { name: 'counterproof:inside', value: inside },
        { name: 'counterproof:origin', value: origin },
      ],
    })),
    ...readManifest().models.map(({ id, version, licence, origin, sha256, pack }) => ({
      type: 'machine-learning-model',
      'bom-ref': `model:${id}`,
      name: id,
      version,
      // Extended models are installed by the tenant; the package only names them.
      scope: pack === 'core' ? 'required' : 'optional',
      licenses: describeLicence(licence),
      hashes: [{ alg: 'SHA-256', content: sha256 }],
      properties: [{ name: 'counterproof:origin', value: origin }],
    })),
  ]
  const digest = createHash('sha256').update(canonicalJson(components)).digest('hex')
  const uuid = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-a${digest.slice(17, 20)}-${digest.slice(20, 32)}`
  const purl = `pkg:deb/counterproof@${encodeURIComponent(product.version)}?arch=${product.architecture}`
  return `${JSON.stringify(
    {
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      serialNumber: `urn:uuid:${uuid}`,
      version: 1,
      metadata: {
        timestamp: product.createdAt,
        component: {
          type: 'application',
          'bom-ref': purl,
          name: 'counterproof',
          version: product.version,
          purl,
          licenses: describeLicence('Apache-2.0'),
        },
      },
      components,
    },
    null,
    1,
  )}\n`
}

/** An SPDX id, an expression of several, or free words. */
function describeLicence(licence: string): JsonObject[] {
  if (/ (?:OR|AND|WITH) /.test(licence) && !/[;,]/.test(licence)) return [{ expression: licence }]
  if (/^[A-Za-z0-9.-]+$/.test(licence) && !licence.startsWith('LicenseRef-'))
    return [{ license: { id: licence } }]
  return [{ license: { name: licence } }]
}

function main(): void {
  const { values } = parseArgs({
    options: {
      tree: { type: 'string' },
      sources: { type: 'string' },
      out: { type: 'string' },
      version: { type: 'string' },
      architecture: { type: 'string' },
      'created-at': { type: 'string' },
    },
  })
  const { tree, sources, out, version, architecture, 'created-at': createdAt } = values
  if (!tree || !sources || !out || !version || !architecture || !createdAt)
    throw new TypeError('notices needs --tree, --sources, --out, --version, --architecture and --created-at')
  if (!existsSync(join(tree, 'node_modules'))) throw new TypeError(`${basename(tree)} has no node_modules`)
  const packages = readPackages(tree, sources)
  writeFileWhole(
    join(out, 'copyright'),
    writeCopyright(packages, readFileSync(join(tree, 'LICENSE'), 'utf8')),
  )
  writeFileWhole(join(out, 'sbom.cdx.json'), writeSbom(packages, { version, architecture, createdAt }))
}

if (import.meta.main) main()
