//! What a call may take of the machine, and whose word on it goes first.

use serde::{Deserialize, Serialize};

use crate::service::{ErrorCode, ServiceError};

/// Limits as somebody names them; what is left out is somebody else's to say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResourceLimits {
    /// The share of the processors, in thousandths of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_millicore_limit: Option<u64>,
    /// Memory, in mebibytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mb_limit: Option<u64>,
    /// Time of one attempt, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
}

/// Who may say a limit, in the order of whose word goes first, and the parent above all of them.
pub(in crate::service) struct Voices {
    pub request: ResourceLimits,
    pub manifest: ResourceLimits,
    pub default: ResourceLimits,
    pub parent: ResourceLimits,
}

impl Voices {
    /// The limits of the call: the request's word, else the manifest's, else the default, and never
    /// more than the parent has. A request that asks for more is refused and not made smaller: who
    /// asked has a reason, and would otherwise learn of the smaller limit by running into it.
    pub fn resolve(&self) -> Result<ResourceLimits, ServiceError> {
        let cpu = self.one("cpu_millicore_limit", |limits| limits.cpu_millicore_limit)?;
        let memory = self.one("memory_mb_limit", |limits| limits.memory_mb_limit)?;
        let timeout = self.one("timeout_seconds", |limits| limits.timeout_seconds)?;
        Ok(ResourceLimits { cpu_millicore_limit: cpu, memory_mb_limit: memory, timeout_seconds: timeout })
    }

    fn one(&self, name: &str, of: fn(&ResourceLimits) -> Option<u64>) -> Result<Option<u64>, ServiceError> {
        let parent = of(&self.parent);
        if let Some(asked) = of(&self.request) {
            return within(name, asked, parent).map(Some);
        }
        let said = of(&self.manifest).or_else(|| of(&self.default));
        Ok(match (said, parent) {
            (Some(said), Some(parent)) => Some(said.min(parent)),
            (said, parent) => said.or(parent),
        })
    }
}

/// What a request asks for, when the parent has as much.
pub(in crate::service) fn within(name: &str, asked: u64, parent: Option<u64>) -> Result<u64, ServiceError> {
    match parent {
        _ if asked == 0 => Err(ServiceError::new(ErrorCode::E3110, format!("`{name}` is 0"))
            .suggest("Ask for at least 1, or leave it out.")),
        Some(parent) if asked > parent => {
            let message = format!("`{name}` is {asked}, and the parent sandbox has {parent}");
            Err(ServiceError::new(ErrorCode::E3111, message)
                .suggest(format!("Ask for at most {parent}, or leave it out.")))
        }
        _ => Ok(asked),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu(millicores: Option<u64>) -> ResourceLimits {
        ResourceLimits { cpu_millicore_limit: millicores, ..ResourceLimits::default() }
    }

    /// What comes of these words on one limit: request, manifest, default, parent.
    #[track_caller]
    fn check(words: [Option<u64>; 4], expected: Result<Option<u64>, &str>) {
        let [request, manifest, default, parent] = words.map(cpu);
        let found = Voices { request, manifest, default, parent }.resolve();
        let found = found.map(|limits| limits.cpu_millicore_limit).map_err(|fault| fault.message);
        assert_eq!(found, expected.map_err(str::to_owned), "{words:?}");
    }

    #[test]
    fn c07_the_request_goes_before_the_manifest_and_the_manifest_before_the_default() {
        check([Some(4), Some(3), Some(2), None], Ok(Some(4)));
        check([None, Some(3), Some(2), None], Ok(Some(3)));
        check([None, None, Some(2), None], Ok(Some(2)));
        check([None, None, None, Some(1)], Ok(Some(1)));
        check([None; 4], Ok(None));
    }

    #[test]
    fn c07_the_parent_refuses_a_request_and_caps_everybody_else() {
        check([Some(4), None, None, Some(4)], Ok(Some(4)));
        let above = "`cpu_millicore_limit` is 5, and the parent sandbox has 4";
        check([Some(5), Some(1), Some(1), Some(4)], Err(above));
        check([None, Some(5), Some(1), Some(4)], Ok(Some(4)));
        check([None, None, Some(5), Some(4)], Ok(Some(4)));
        check([Some(0), None, None, None], Err("`cpu_millicore_limit` is 0"));
    }
}
