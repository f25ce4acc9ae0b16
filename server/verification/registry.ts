/** Maps step names to steps. Start-up fails if resources/pipelines names a step that is missing here. */
import { attendedCapture } from './steps/attended-capture.ts'
import { documentAuthenticity } from './steps/document-authenticity.ts'
import { documentBarcode } from './steps/document-barcode.ts'
import { addressForm } from './steps/address-form.ts'
import { addressMatch } from './steps/address-match.ts'
import { addressRegister } from './steps/address-register.ts'
import { attributesMatch } from './steps/attributes-match.ts'
import { claimedContact } from './steps/claimed-contact.ts'
import { claimedPaymentCard } from './steps/claimed-payment-card.ts'
import { documentChip } from './steps/document-chip.ts'
import { documentNumber } from './steps/document-number.ts'
import { documentPortrait } from './steps/document-portrait.ts'
import { documentReading } from './steps/document-reading.ts'
import { documentQuality } from './steps/document-quality.ts'
import { documentValidity } from './steps/document-validity.ts'
import { issuerEligible } from './steps/issuer-eligibility.ts'
import { claimSource } from './steps/claim-source.ts'
import { issuerVerification } from './steps/issuer-verification.ts'
import { medicareCard } from './steps/medicare-card.ts'
import { mrzCheck } from './steps/mrz-check.ts'
import { mrzRead } from './steps/mrz-read.ts'
import { portraitLiveness } from './steps/portrait-liveness.ts'
import { portraitMatch, portraitMatchFurther } from './steps/portrait-match.ts'
import { portraitOwnPicture } from './steps/portrait-own-picture.ts'
import { portraitPad } from './steps/portrait-pad.ts'
import { portraitQuality } from './steps/portrait-quality.ts'
import { requiredSides } from './steps/required-sides.ts'
import { textDocument } from './steps/text-document.ts'
import { visualZone } from './steps/visual-zone.ts'
import type { Step } from './subject.ts'

export const STEPS: ReadonlyMap<string, Step> = new Map(
  [
    documentQuality,
    documentBarcode,
    requiredSides,
    mrzRead,
    mrzCheck,
    documentReading,
    visualZone,
    documentNumber,
    documentValidity,
    documentPortrait,
    documentChip,
    documentAuthenticity,
    portraitQuality,
    portraitLiveness,
    portraitOwnPicture,
    portraitPad,
    portraitMatch,
    portraitMatchFurther,
    textDocument,
    issuerEligible,
    issuerVerification,
    claimSource,
    medicareCard,
    attributesMatch,
    addressForm,
    addressMatch,
    addressRegister,
    claimedContact,
    claimedPaymentCard,
    attendedCapture,
  ].map((step) => [step.name, step]),
)
