//! The leaves of the workloads as an embedder writes them.

use helve::catalog::{Catalog, Class, Leaf, LeafContext, LeafError, NodeManifest, PortManifest};
use helve::status::Status;
use helve::value::{Type, Value};

/// Always the same answer. Only the one that runs says that it depends on nothing: what is asked again
/// is what W3 measures.
struct Answer(Status);

impl Leaf for Answer {
    fn start(&self, _: &mut dyn LeafContext) -> Result<Status, LeafError> {
        Ok(self.0)
    }

    fn is_pure(&self) -> bool {
        self.0 == Status::Running
    }
}

/// One more.
struct Inc;

impl Leaf for Inc {
    fn start(&self, cx: &mut dyn LeafContext) -> Result<Status, LeafError> {
        let Value::Int(int) = cx.required(0)? else { return Err(LeafError::new("no integer")) };
        cx.output(1, Value::Int(int + 1))?;
        Ok(Status::Success)
    }
}

/// Passes a value on.
struct Copy;

impl Leaf for Copy {
    fn start(&self, cx: &mut dyn LeafContext) -> Result<Status, LeafError> {
        let value = cx.required(0)?;
        cx.output(1, value)?;
        Ok(Status::Success)
    }
}

/// Adds them to a catalog.
pub fn add_to(catalog: &mut Catalog) {
    let answers = [
        ("Succ", Class::Action, Status::Success),
        ("Fail", Class::Action, Status::Failure),
        ("Cond", Class::Condition, Status::Success),
        ("Run", Class::Action, Status::Running),
    ];
    for (name, class, status) in answers {
        add(catalog, NodeManifest::leaf(name, class, Vec::new(), Answer(status)));
    }
    add(catalog, NodeManifest::leaf("Inc", Class::Action, ports(Type::Int64), Inc));
    add(catalog, NodeManifest::leaf("CpyS", Class::Action, ports(Type::Text), Copy));
    add(catalog, NodeManifest::leaf("CpyJ", Class::Action, ports(Type::Json), Copy));
}

fn ports(ty: Type) -> Vec<PortManifest> {
    vec![PortManifest::input("in", ty, "what comes in"), PortManifest::output("out", ty, "what goes out")]
}

fn add(catalog: &mut Catalog, manifest: NodeManifest) {
    catalog.add(manifest).expect("a name that no other node has");
}
