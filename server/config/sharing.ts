/**
 * `tenant.sharing`: which application may see identities of which other. `proofing/applications` defines the meaning of
 * the rules.
 */
import { z } from 'zod'
import { sharingProblems } from '../proofing/applications.ts'

const application = z.string().min(1).max(100)

export const Sharing = z
  .array(
    z.strictObject({
      application: application.describe('Applications that get access'),
      of: z
        .array(application)
        .min(1)
        .max(100)
        .describe('Applications whose identities are shared; kiosk and counter belong to the appliance'),
      may: z
        .enum(['read', 'act'])
        .describe('read: data, pictures and the sealed proof; act: every operation'),
    }),
  )
  .max(100)
  .default([])
  .superRefine((rules, context) => {
    for (const { rule, member, message } of sharingProblems(rules)) {
      context.addIssue({ code: 'custom', path: [rule, member], message })
    }
  })
  .describe("Access of applications of this tenant to each other's identities; without a rule there is none")
