/** The JSON files of a proof, compared with the JSON Schema that the appliance serves for them. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describeProof } from '../../server/api/proof-schema.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema({ $id: 'proof', ...describeProof() })

/** Where a file is not as described: pointer and rule. `path`: below the root folder. */
export function faultsOfProofFile(path: string, json: unknown): readonly string[] {
  const validate = ajv.getSchema(`proof#/$defs/${path}`)
  if (!validate) return [`there is no schema for ${path}`]
  if (validate(json)) return []
  return (validate.errors ?? []).map(({ instancePath, keyword, params }) =>
    [instancePath, keyword, JSON.stringify(params)].join(' '),
  )
}
