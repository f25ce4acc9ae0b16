/** Reported to the appliance with the pictures (`sdkInfo`). Increase it when the capture changes. */
export const COMPONENT_VERSION = '1.0.0'
