//! A program as a tool: one call from its arguments to its result.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use rustix::rand::{GetRandomFlags, getrandom};
use serde_json::Value as Json;

use super::manifest::is_executable;
use super::proposal::Proposal;
use super::secrets::Secrets;
use super::talk::Talk;
use super::{Output, Spec, Surroundings};
use crate::call::Arguments;
use crate::exec::ResultSchema;
use crate::harness::{self, Launch, Listener, ProcessLimits};
use crate::manifest::{Effects, ToolManifest};
use crate::outcome::ErrorCategory;
use crate::text::system_words;
use crate::tool::{Allowance, CallContext, Preview, Tool, ToolError};

/// A tool that is a program.
pub struct ProcessTool {
    spec: Spec,
    surroundings: Surroundings,
    result: Option<ResultSchema>,
    file: Option<Arc<str>>,
}

impl ProcessTool {
    /// The tool of a spec.
    ///
    /// # Errors
    /// When the schema of its results is none, with the reason.
    pub fn new(spec: Spec, surroundings: Surroundings) -> Result<Self, String> {
        let result = spec.manifest.output_schema.as_ref().map(ResultSchema::new).transpose();
        Ok(Self { spec, surroundings, result: result.map_err(|fault| fault.to_string())?, file: None })
    }

    /// The same tool, whose manifest is this file.
    #[must_use]
    pub(super) fn of_file(mut self, file: &str) -> Self {
        self.file = Some(file.into());
        self
    }

    /// The file of its manifest, as it was named; `None` for a tool that was made without one.
    pub fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// What its manifest file says.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    fn start(
        &self,
        secrets: &Secrets,
        nonce: Option<&str>,
        cx: &CallContext,
    ) -> Result<harness::Process, ToolError> {
        let program = &self.spec.program;
        let fault = |message| ToolError::new(ErrorCategory::Configuration, message);
        if !is_executable(program) {
            return Err(fault(format!("the program `{}` cannot be run any more", program.display()))
                .suggest("Install it again, or correct the `command` of the manifest."));
        }
        let folder = self.surroundings.root.folder(&self.spec.folder)?;
        let launch = Launch {
            program: program.clone(),
            arguments: self.spec.arguments.iter().map(Into::into).collect(),
            environment: self.environment(secrets, nonce),
            folder: folder.held_path(),
            writable: self.writable(),
            network: self.spec.network,
        };
        let (limits, required) = (self.limits(cx), &self.spec.required);
        harness::run(&launch, &limits, required, self.spec.grace, self.listener(cx)).map_err(|error| {
            fault(format!("the program `{}` was not started: {}", program.display(), system_words(&error)))
        })
    }

    /// A tool that only looks has no business with the files of the root, nor has one that proposes.
    fn writable(&self) -> Vec<PathBuf> {
        let root = self.surroundings.root.held_path();
        let named = self.spec.writable.iter().map(|path| root.join(path));
        let writes = self.spec.manifest.effects != Effects::ReadOnly && !self.spec.proposes;
        let own = writes.then(|| root.clone());
        named.chain(own).collect()
    }

    fn environment(&self, secrets: &Secrets, nonce: Option<&str>) -> Vec<(OsString, OsString)> {
        let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        let allowed = self.spec.environment.iter();
        let mut all: Vec<_> =
            allowed.filter_map(|name| Some(pair(name, &self.surroundings.variable(name)?))).collect();
        all.extend(secrets.variables().map(|(name, value)| pair(name, value)));
        all.extend(nonce.map(|nonce| pair("HELVE_NONCE", nonce)));
        all
    }

    /// What the caller allows goes before what the manifest says.
    fn limits(&self, cx: &CallContext) -> ProcessLimits {
        let Allowance { cpu_millicores, memory_mb } = cx.scope().account.allowance;
        let own = self.spec.limits;
        ProcessLimits {
            memory_mb: memory_mb.unwrap_or(own.memory_mb),
            cpu_millicores: cpu_millicores.or(own.cpu_millicores),
            ..own
        }
    }

    /// The report joins the call, or what is left of it.
    fn listener(&self, cx: &CallContext) -> Listener {
        let (reports, call) = (self.surroundings.reports.clone(), cx.call().id);
        let sandbox = cx.scope().account.open();
        Box::new(move |end| {
            sandbox.close(end);
            if end.left > 0 {
                tracing::error!(left = end.left, "processes of a tool outlive SIGKILL");
            }
            if let Some(reports) = reports {
                reports.ended(call, end);
            }
        })
    }
}

#[async_trait]
impl Tool for ProcessTool {
    fn manifest(&self) -> &Arc<ToolManifest> {
        &self.spec.manifest
    }

    fn allowance(&self) -> Allowance {
        let limits = &self.spec.limits;
        Allowance { cpu_millicores: limits.cpu_millicores, memory_mb: Some(limits.memory_mb) }
    }

    async fn call(&self, arguments: &Arguments, cx: &CallContext) -> Result<Json, ToolError> {
        let (result, proposal) = self.run(arguments, cx, true).await?;
        if self.spec.proposes {
            let root = self.surroundings.root.clone();
            cx.blocking(move |cx| proposal.write(&root, cx)).await?;
        }
        Ok(result)
    }

    /// Of a program that proposes, what it proposes now. It runs as it will in the call, and can write
    /// nothing then either.
    async fn preview(&self, arguments: &Arguments, cx: &CallContext) -> Result<Option<Preview>, ToolError> {
        if !self.spec.proposes {
            return Ok(None);
        }
        let (_, proposal) = self.run(arguments, cx, false).await?;
        let root = self.surroundings.root.clone();
        cx.blocking(move |_| proposal.preview(&root).map(Some)).await
    }
}

impl ProcessTool {
    /// Runs the program from its arguments to its end.
    async fn run(
        &self,
        arguments: &Arguments,
        cx: &CallContext,
        is_told: bool,
    ) -> Result<(Json, Proposal), ToolError> {
        let secrets = Secrets::of(&self.spec.secrets, &self.surroundings)?;
        let nonce = (self.spec.output == Output::NoncedEvents).then(nonce).transpose()?;
        cx.check()?;
        let process = self.start(&secrets, nonce.as_deref(), cx)?;
        let mut input = serde_json::to_vec(arguments)
            .map_err(|fault| ToolError::user_input(format!("the arguments have no JSON form: {fault}")))?;
        input.push(b'\n');
        let talk = Talk { spec: &self.spec, secrets: &secrets, nonce: nonce.as_deref(), is_told, cx };
        let heard = talk.until_the_end(process, input).await;
        if let Some(end) = heard.end.as_ref().filter(|_| is_told) {
            cx.raise("tool.process.ended", end.to_json());
        }
        cx.check()?;
        let (result, proposal) = heard.into_answer(&secrets)?;
        if let Some(schema) = &self.result {
            schema.check(&result).map_err(unfit)?;
        }
        Ok((result, proposal))
    }
}

fn unfit(faults: String) -> ToolError {
    ToolError::runtime(faults).suggest("Correct the program, or the `result` schema of its manifest.")
}

/// A word that nothing which a program repeats can hold.
fn nonce() -> Result<String, ToolError> {
    let mut bytes = [0_u8; 16];
    let filled = getrandom(&mut bytes, GetRandomFlags::empty())
        .map_err(|fault| ToolError::resource(format!("the system gives no random bytes: {fault}")))?;
    if filled < bytes.len() {
        return Err(ToolError::resource("the system gives too few random bytes"));
    }
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}
