/** `npm run brands`: lists the brands of the screens, and checks whether this appliance accepts a brand. */
import { checkBrand, listBrands, type FoundBrand } from '../brand/brands.ts'
import type { Config } from '../config/config.ts'
import { loadDocumentFaults } from '../config/document-faults.ts'
import { loadTenantPolicies } from '../config/policies.ts'
import type { FieldProblem } from '../errors.ts'
import { brandFolders, loadKiosk } from '../open-kiosk.ts'
import { listOrCheck, type Asked, type Told } from './list-and-check.ts'
import { UsageError } from './usage.ts'

const HELP = `Brands of the screens: name, logo, two colours and sentences of welcome of an organisation.

  npm run brands -- list [--data DIR] [--json]
  npm run brands -- check [NAME...] [--data DIR] [--json]

  list      lists the examples that come with the product and the tenant's brands in brands/ of the data folder, and names
            the one in force (brand in config.json)
  check     checks a brand (all of them without NAME) and lists every problem with its place and its remedy. The brand must
            have its texts in the languages of the journey in force
  --data    the appliance's data folder (default: ~/.local/share/counterproof)
  --json    prints the result as one JSON object

The members of a brand: resources/brands/README.md.
Exit status: 0 done, 1 a brand would be refused, 2 wrong use.

Example: npm run brands -- check lantern
`

interface Row {
  readonly name: string
  readonly folder: string
  readonly own: boolean
  readonly inForce: boolean
  readonly problems: readonly FieldProblem[]
}

export const run = (argv: string[]): Promise<number> => listOrCheck(argv, HELP, { list, check })

function list({ config }: Asked): Told {
  const brands = listRows(config, listBrands(brandFolders(config)))
  const words = brands.map(({ name, folder, own, inForce, problems }) => {
    const marks = [inForce ? ' (in force)' : '', own ? ' (own)' : '']
    return `${name}${marks.join('')}${problems.length > 0 ? ' – would be refused' : ''}\n  ${folder}`
  })
  return { result: { brands }, words: `${words.join('\n')}\n` }
}

function check({ config, names }: Asked): Told {
  const all = listBrands(brandFolders(config))
  for (const name of names) {
    if (!all.some((brand) => brand.name === name)) throw new UsageError(`there is no brand '${name}'`)
  }
  const wanted = names.length === 0 ? all : all.filter(({ name }) => names.includes(name))
  const brands = listRows(config, wanted)
  const words = brands.flatMap(({ folder, problems }) => [
    `${folder}: ${problems.length > 0 ? 'would be refused:' : 'sound'}`,
    ...problems.map(({ field, message }) => `  ${field}: ${message}`),
  ])
  const isSound = brands.every(({ problems }) => problems.length === 0)
  return { result: { brands }, words: `${words.join('\n')}\n`, status: isSound ? 0 : 1 }
}

function listRows(config: Config, brands: readonly FoundBrand[]): readonly Row[] {
  const policy = loadTenantPolicies(config).get(config.tenant.policy)
  if (!policy) throw new UsageError(`there is no policy '${config.tenant.policy}' (config tenant.policy)`)
  const { languages } = loadKiosk(config, policy, loadDocumentFaults()).journey
  const inForce = listBrands(brandFolders(config)).find(({ name }) => name === config.brand)?.folder
  return brands.map((brand) => ({
    name: brand.name,
    folder: brand.folder,
    own: brand.isOwn,
    inForce: brand.folder === inForce,
    problems: checkBrand(brand, languages).problems,
  }))
}
