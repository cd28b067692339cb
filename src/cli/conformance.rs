//! `helve conformance`

use crate::cli::args::ConformanceArgs;
use crate::cli::entry::Exit;
use crate::cli::out::Out;
use crate::conformance::{Report, read_folder};
use crate::diag::{Code, Diagnostic, Diagnostics};

pub(super) fn conformance(args: &ConformanceArgs, out: &mut Out) -> Result<Exit, Diagnostics> {
    let cases = read_folder(&args.folder).map_err(|fault| fault.diagnostic())?;
    let report = Report::of(&cases).map_err(|clash| Diagnostic::new(Code::E0409, clash.to_string()))?;
    if args.json {
        out.json(&report.to_json());
    } else {
        out.text(report.to_string());
    }
    Ok(if report.failed() == 0 { Exit::Success } else { Exit::Failure })
}
