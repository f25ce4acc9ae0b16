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
      application: application.describe('who may see'),
      of: z
        .array(application)
        .min(1)
        .max(100)
        .describe("whose identities; kiosk and counter are the appliance's own"),
      may: z.enum(['read', 'act']).describe('read: look, pictures, the sealed proof; act: everything'),
    }),
  )
  .max(100)
  .default([])
  .superRefine((rules, context) => {
    for (const { rule, member, message } of sharingProblems(rules)) {
      context.addIssue({ code: 'custom', path: [rule, member], message })
    }
  })
  .describe('Identities that applications of this tenant see of one another; without a rule, none')
